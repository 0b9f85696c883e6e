/**
 * The OpenAPI documents, generated from the operations and the schemas that validate them. Loaded
 * on demand: the library takes time and memory that serving does not need.
 *
 * @module
 */

import { ERROR_TABLE, type ErrorCode } from "@svc/sdk/protocol";
import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import manifest from "../deno.json" with { type: "json" };
import { isRepeated } from "../domain/fault.ts";
import { errorEnvelopeSchema } from "../http/schemas/error.ts";
import { ADMIN_OPERATIONS } from "./admin_operations.ts";
import {
  codesOf,
  type Content,
  type HeaderName,
  HEADERS,
  LIMIT_HEADERS,
  type Operation,
  RETRY_STATUSES,
} from "./operation.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";

/** A listener that is described. */
export type Listener = "public" | "admin";

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<typeof createDocument>;

/** Options of a document. */
export interface DocumentOptions {
  /**
   * Says whether answers may have fields that are not described, as callers must expect. Tests use
   * `closed`, so that no field is forgotten.
   *
   * @default {"open"}
   */
  readonly answers?: "open" | "closed";
}

/** All operations, by listener. */
export const OPERATIONS: Readonly<Record<Listener, readonly Operation[]>> = {
  public: PUBLIC_OPERATIONS,
  admin: ADMIN_OPERATIONS,
};

const OTHER_METHODS = "HEAD answers as GET does, without a body. Any other method is refused " +
  "with 405 and `Allow`, any other address with 404. Every error has the same shape, " +
  "whose `code` is one of one table.";

const INFO: Readonly<Record<Listener, { title: string; description: string }>> = {
  public: {
    title: "Model gateway",
    description: "Send `model: auto`: the service chooses the model, and says which and why.\n\n" +
      "Send the key as `Authorization: Bearer <key>` or `X-API-Key: <key>`; where both are " +
      `there, \`X-API-Key\` counts. Keys belong on servers, never in browsers.\n\n${OTHER_METHODS}`,
  },
  admin: {
    title: "Model gateway: operator",
    description: "Wallets, keys, catalog, requests and books. Amounts are credits, as decimal " +
      `strings; times are ISO 8601, UTC.\n\n${OTHER_METHODS}`,
  },
};

const SECURITY = {
  public: {
    bearer: { type: "http", scheme: "bearer", description: "An API key" },
    apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "An API key" },
  },
  admin: { adminToken: { type: "http", scheme: "bearer", description: "The admin token" } },
} as const;

/** Generates the document of a listener. */
export function documentOf(listener: Listener, options: DocumentOptions = {}): OpenApiDocument {
  const operations = OPERATIONS[listener];
  const refusals = new Map<string, ZodOpenApiResponseObject>();
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = operationObject(operation, refusals);
  }
  const document = createDocument({
    openapi: "3.1.0",
    info: { ...INFO[listener], version: manifest.version },
    servers: [{ url: "/" }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { ...SECURITY[listener] },
      schemas: { ErrorEnvelope: errorEnvelopeSchema },
      responses: Object.fromEntries(refusals),
      headers: { ...HEADERS },
    },
  }, {
    override: ({ jsonSchema, io }) => {
      if (NO_FORMATS.includes(jsonSchema.format ?? "")) delete jsonSchema.format;
      if (io === "input" || options.answers === "closed") return;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return withoutUnused(withPassedThrough(document));
}

/**
 * Answers that upstreams with a Responses interface write themselves, with the members that are
 * certain.
 */
const PASSED_THROUGH: Readonly<Record<string, readonly string[]>> = {
  Response: ["id", "model", "output", "metadata"],
  ResponseEvent: ["type"],
};

function withPassedThrough(document: OpenApiDocument): OpenApiDocument {
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => {
    const required = PASSED_THROUGH[name];
    if (required === undefined) return [name, schema] as const;
    return [name, { ...relaxed(schema), required: required }] as const;
  });
  return {
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(schemas) },
  } as OpenApiDocument;
}

/** Returns a schema in which only types are required: any other member may be missing. */
function relaxed(node: unknown): Record<string, unknown> {
  const entries = Object.entries(node ?? {}).flatMap(([name, value]): [string, unknown][] => {
    if (name === "required") return value.includes("type") ? [[name, ["type"]]] : [];
    // A list that is empty in generated answers may have elements in these.
    if (name === "items" && JSON.stringify(value) === '{"not":{}}') return [];
    // The service writes this member itself.
    if (name === "metadata" || typeof value !== "object" || value === null) return [[name, value]];
    return [[name, Array.isArray(value) ? value.map(relaxedElement) : relaxed(value)]];
  });
  return Object.fromEntries(entries);
}

function relaxedElement(element: unknown): unknown {
  return typeof element === "object" && element !== null ? relaxed(element) : element;
}

/** Formats of zod alone: a pattern or an encoding beside them says the same. */
const NO_FORMATS = ["starts_with", "base64"];

function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document);
  const headers = Object.entries(document.components?.headers ?? {})
    .filter(([name]) => text.includes(`"#/components/headers/${name}"`));
  return {
    ...document,
    components: { ...document.components, headers: Object.fromEntries(headers) },
  };
}

function operationObject(
  operation: Operation,
  refusals: Map<string, ZodOpenApiResponseObject>,
): ZodOpenApiOperationObject {
  const { id, tag, summary, description, access, query, body } = operation;
  const replies = Object.entries(operation.replies).map(([status, reply]) => [status, {
    description: reply.description,
    headers: headersOf([...reply.headers ?? [], ...operation.limited ? LIMIT_HEADERS : []]),
    ...reply.content === undefined ? {} : { content: contentOf(reply.content) },
  }]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...description === undefined ? {} : { description },
    security: securityOf(access),
    requestParams: {
      header: requestHeaders.extend(operation.headers?.shape ?? {}),
      ...segmentsOf(operation),
      ...query === undefined ? {} : { query },
    },
    ...body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } },
    responses: Object.fromEntries([...replies, ...refusalsOf(operation, refusals)]),
  };
}

const requestHeaders = z.object({
  "X-Request-ID": z.string().regex(/^[\x21-\x7e]{1,128}$/).optional().meta({
    description: "Correlates logs; never deduplicates",
    example: "my-request-1",
  }),
});

function securityOf(access: Operation["access"]): Record<string, string[]>[] {
  if (access === "key") return [{ bearer: [] }, { apiKey: [] }];
  return access === "token" ? [{ adminToken: [] }] : [];
}

function segmentsOf({ path }: Operation): { path?: z.ZodObject } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return {};
  return { path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) };
}

function contentOf(content: Readonly<Record<string, Content>>): ZodOpenApiContentObject {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, example }]) => [type, {
      ...schema === undefined ? {} : { schema },
      ...example === undefined ? {} : { example },
    }]),
  );
}

function headersOf(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    ["X-Request-ID", ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** Returns the refusals by status; equal ones are one component. */
function refusalsOf(
  operation: Operation,
  known: Map<string, ZodOpenApiResponseObject>,
): [string, { $ref: string }][] {
  const byStatus = Map.groupBy(codesOf(operation), (code) => ERROR_TABLE[code].status);
  return [...byStatus].filter(([status]) => status >= 400).map(([status, codes]) => {
    const name = `${operation.limited ? "limited." : ""}${codes.toSorted().join(".")}`;
    if (!known.has(name)) known.set(name, refusal(status, codes.toSorted(), operation));
    return [String(status), { $ref: `#/components/responses/${name}` }];
  });
}

function refusal(
  status: number,
  codes: readonly ErrorCode[],
  { access, limited }: Operation,
): ZodOpenApiResponseObject {
  const challenges: readonly HeaderName[] = access === "token" && status === 401
    ? ["WWW-Authenticate"]
    : [];
  const retries: readonly HeaderName[] = [
    ...RETRY_STATUSES.includes(status) ? ["Retry-After"] as const : [],
    ...isRepeated(status) ? ["X-Should-Retry"] as const : [],
  ];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TABLE[code].message}`).join("\n\n"),
    headers: headersOf([...challenges, ...retries, ...limited ? LIMIT_HEADERS : []]),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/ErrorEnvelope" },
            { properties: { error: { properties: { code: { enum: [...codes] } } } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode) {
  const { message, type } = ERROR_TABLE[code];
  return { error: { message, type, code, param: null, request_id: "req_01JD2X" } };
}
