/**
 * The two dialects of answers, and the rule that chooses between them.
 *
 * @module
 */

/**
 * The form of an answer: `service` as the interface specifies it, `openai` so that clients that
 * are built on OpenAI's types can read it.
 */
export type Dialect = typeof DIALECTS[number];

/** Every {@linkcode Dialect}. */
export const DIALECTS = ["service", "openai"] as const;

/** The request header that states the dialect of one call. */
export const DIALECT_HEADER = "X-Dialect";

/** Every client that is generated from OpenAI's description sends headers of this kind. */
const STAINLESS = "x-stainless-";

/**
 * Product names, in lower case, of clients that are built on OpenAI's types; some of them send no
 * `x-stainless-*`. `tests/fixtures/foreign_clients.ts` has what each of them sends.
 */
const OPENAI_PRODUCTS: ReadonlySet<string> = new Set([
  "agents",
  "ai",
  "ai-sdk",
  "asyncopenai",
  "litellm",
  "openai",
  "pydantic-ai",
]);

/** The Vercel AI SDK names its packages in different ways: `ai-sdk/openai/…`, `ai-sdk-openai/…`. */
const AI_SDK = "ai-sdk-";

/** The part of `Headers` that {@linkcode askedDialect} reads. */
export interface AskingHeaders {
  /** Returns the value of a header, in any case of its name; `null` without one. */
  get(name: string): string | null;
  /** Calls a function with the value and the name, in lower case, of each header. */
  forEach(callback: (value: string, name: string) => void): void;
}

/**
 * The dialect that a request asks for: the value of its {@linkcode DIALECT_HEADER} as it was sent,
 * which may be none that exists; else `openai` where its client is known to be built on OpenAI's
 * types; else nothing.
 *
 * @example A proxy passes its caller's dialect on
 * ```ts
 * import { askedDialect } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(askedDialect(new Headers({ "x-dialect": "service" })), "service");
 * assertEquals(askedDialect(new Headers({ "user-agent": "ai-sdk/openai/3.0.141" })), "openai");
 * assertEquals(askedDialect(new Headers({ "user-agent": "curl/8.14.1" })), undefined);
 * ```
 */
export function askedDialect(headers: AskingHeaders): string | undefined {
  const stated = headers.get(DIALECT_HEADER);
  if (stated !== null) return stated;
  return isBuiltOnOpenAI(headers) ? "openai" : undefined;
}

function isBuiltOnOpenAI(headers: AskingHeaders): boolean {
  let isStainless = false;
  // An iterator of headers takes eight times as long in Deno.
  headers.forEach((_, name) => isStainless ||= name.startsWith(STAINLESS));
  if (isStainless) return true;
  // A product is a name, a slash and a version, as "litellm/1.83.0".
  const products = (headers.get("user-agent") ?? "").toLowerCase().matchAll(
    /(?<=^|\s)[^\s/]+(?=\/)/g,
  );
  return products.some(([name]) => OPENAI_PRODUCTS.has(name) || name.startsWith(AI_SDK));
}
