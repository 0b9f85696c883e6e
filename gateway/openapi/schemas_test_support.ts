/**
 * The schemas of a document, compiled by a library that nobody here wrote.
 *
 * @module
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenApiDocument } from "./document.ts";

/** A body in a document. */
export interface DescribedBody {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** A body and where it stands. */
export interface PlacedBody {
  readonly body: DescribedBody;
  /** Of its schema. */
  readonly pointer: string;
  readonly where: string;
}

/** Checks values against the schemas of a document. */
export class Schemas {
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();

  /** Compiles nothing yet. */
  constructor(document: OpenApiDocument) {
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, "document");
  }

  /** What is wrong with a value; `undefined` where nothing is. */
  problems(pointer: string, value: unknown): string | undefined {
    const known = this.#validators.get(pointer);
    const validator = known ?? this.#ajv.compile({ $ref: `document#${pointer}` });
    this.#validators.set(pointer, validator);
    if (validator(value)) return undefined;
    // The deepest says most, where one of several would have done.
    const errors = (validator.errors ?? []).toSorted((a, b) =>
      b.instancePath.length - a.instancePath.length
    );
    const said = errors.slice(0, 3).map(({ instancePath, message, params }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}`
    );
    return `${said.join("; ")} in ${JSON.stringify(value).slice(0, 1_500)}`;
  }
}

/** Every body that a document describes. */
export function* bodiesOf(document: OpenApiDocument): Generator<PlacedBody, void> {
  for (const [path, methods] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(methods as Record<string, Holder>)) {
      const base = `/paths/${segmentOf(path)}/${method}`;
      yield* contentsOf(operation.requestBody ?? {}, `${base}/requestBody`);
      for (const [status, reply] of Object.entries(operation.responses ?? {})) {
        yield* contentsOf(reply, `${base}/responses/${status}`);
      }
    }
  }
  const shared = (document.components?.responses ?? {}) as Record<string, Contents>;
  for (const [name, reply] of Object.entries(shared)) {
    yield* contentsOf(reply, `/components/responses/${name}`);
  }
}

interface Contents {
  readonly content?: Readonly<Record<string, DescribedBody>>;
}

interface Holder {
  readonly requestBody?: Contents;
  readonly responses?: Readonly<Record<string, Contents>>;
}

function* contentsOf({ content = {} }: Contents, base: string): Generator<PlacedBody, void> {
  for (const [type, body] of Object.entries(content)) {
    yield { body, pointer: `${base}/content/${segmentOf(type)}/schema`, where: `${base} ${type}` };
  }
}

/** A key as a segment of a JSON pointer in a fragment. */
export function segmentOf(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}
