/**
 * The schemas of a document, compiled by an independent library.
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

/** A body with its place in the document. */
export interface PlacedBody {
  readonly body: DescribedBody;
  /** JSON pointer of its schema. */
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

  /** Returns the problems of a value, or `undefined` where it has none. */
  problems(pointer: string, value: unknown): string | undefined {
    const known = this.#validators.get(pointer);
    const validator = known ?? this.#ajv.compile({ $ref: `document#${pointer}` });
    this.#validators.set(pointer, validator);
    if (validator(value)) return undefined;
    // Of the options of a union, the deepest error says most.
    const errors = (validator.errors ?? []).toSorted((a, b) =>
      b.instancePath.length - a.instancePath.length
    );
    const texts = errors.slice(0, 3).map(({ instancePath, message, params }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}`
    );
    return `${texts.join("; ")} in ${JSON.stringify(value).slice(0, 1_500)}`;
  }
}

/** Yields every body that a document describes. */
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

/** Returns a key as a segment of a JSON pointer in a fragment. */
export function segmentOf(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}
