/**
 * What a listener offers at one address by one method, as its description and its tests read it.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { z } from "zod";

/** Media type of nearly all bodies and answers. */
export const JSON_TYPE = "application/json";
/** Media type of streams. */
export const EVENTS_TYPE = "text/event-stream";

/** A body that may be sent or answered, with an example that fits it. */
export interface Content {
  /** Absent where the body is bytes. Of a stream: one event, or one line. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
}

/** An answer that is no refusal. */
export interface Reply {
  readonly description: string;
  /** By media type. */
  readonly content?: Readonly<Record<string, Content>>;
  /** Names of {@linkcode HEADERS}, besides the request id. */
  readonly headers?: readonly HeaderName[];
}

/** One operation. */
export interface Operation {
  readonly method: "get" | "post" | "delete";
  /** With names in braces. */
  readonly path: string;
  /** Stable and unique: generated clients make it the name of a method. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Whom it answers. */
  readonly access: "anyone" | "key" | "token";
  /** Whether it tells what the key's limits leave. */
  readonly limited?: boolean;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** By media type. */
  readonly body?: Readonly<Record<string, Content>>;
  /** By status. */
  readonly replies: Readonly<Record<number, Reply>>;
  /** Refusals besides those of {@linkcode codesOf}. */
  readonly codes?: readonly ErrorCode[];
}

/** Headers of answers, by their names. */
export const HEADERS = {
  "X-Request-ID": {
    description: "The caller's own `X-Request-ID`, or one made here: quote it to the operator",
    required: true,
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "Seconds after which the same request may succeed",
    schema: { type: "integer", minimum: 1 },
  },
  "X-Should-Retry": {
    description:
      "Says `false` where waiting never helps, and where the call that failed has cost " +
      "something: clients do not repeat it by themselves then",
    schema: { type: "string", const: "false" },
  },
  "WWW-Authenticate": {
    description: "How to authenticate",
    required: true,
    schema: { type: "string" },
  },
  "ETag": {
    description: "Send it back as `If-None-Match`: 304 says that nothing has changed",
    required: true,
    schema: { type: "string" },
  },
  "Cache-Control": { required: true, schema: { type: "string" } },
  "Content-Language": { required: true, schema: { type: "string" } },
  "Accept-Ranges": { required: true, schema: { type: "string" } },
  "Content-Range": {
    required: true,
    schema: { type: "string" },
    example: "bytes 0-1023/4096",
  },
  "X-Ledger-Entries": {
    description: "Entries in the whole journal",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  ...limitHeaders("requests", "Requests a minute"),
  ...limitHeaders("tokens", "Tokens a minute"),
  "x-ratelimit-limit-concurrent-requests": limitHeader("Requests at once that the key may have"),
  "x-ratelimit-remaining-concurrent-requests": limitHeader("Requests at once that are left"),
} as const;

/** A header that answers may have. */
export type HeaderName = keyof typeof HEADERS;

/** What the key's limits leave; each only where the key has that limit. */
export const LIMIT_HEADERS = Object.keys(HEADERS)
  .filter((name) => name.startsWith("x-ratelimit-")) as HeaderName[];

/** Statuses of refusals that say when to come again. */
export const RETRY_STATUSES: readonly number[] = [429, 503];

function limitHeaders<Unit extends "requests" | "tokens">(unit: Unit, what: string) {
  return {
    [`x-ratelimit-limit-${unit}`]: limitHeader(`${what} that the key may have`),
    [`x-ratelimit-remaining-${unit}`]: limitHeader(`${what} that are left`),
    [`x-ratelimit-reset-${unit}`]: {
      description: "Time until the limit is whole again, as `1m30s` or `120ms`",
      schema: { type: "string" },
    },
  } as Record<
    `x-ratelimit-${"limit" | "remaining" | "reset"}-${Unit}`,
    ReturnType<typeof limitHeader>
  >;
}

function limitHeader(description: string) {
  return { description, schema: { type: "integer", minimum: 0 } } as const;
}

const EVERYWHERE: readonly ErrorCode[] = ["invalid_request", "internal"];
const BEHIND_KEY: readonly ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "policy_denied",
  "rate_limit_exceeded",
  "store_unavailable",
];
const BEHIND_TOKEN: readonly ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "rate_limit_exceeded",
];
const WITH_BODY: readonly ErrorCode[] = ["body_too_large", "unsupported_media_type"];

/** The address that answers, saying nothing of the service, as long as the process lives. */
const ALWAYS_ANSWERED = "/healthz";

/** Every code that an operation may refuse with. */
export function codesOf(operation: Operation): readonly ErrorCode[] {
  const { access, body, codes = [], path } = operation;
  return [
    ...new Set([
      ...EVERYWHERE,
      ...path === ALWAYS_ANSWERED ? [] : ["shutting_down" as const],
      ...access === "key" ? BEHIND_KEY : [],
      ...access === "token" ? BEHIND_TOKEN : [],
      ...body === undefined ? [] : WITH_BODY,
      ...codes,
    ]),
  ];
}
