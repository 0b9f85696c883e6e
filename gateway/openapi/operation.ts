/**
 * One operation of a listener, as its description and its tests read it.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { z } from "zod";

/** Media type of most bodies and answers. */
export const JSON_TYPE = "application/json";
/** Media type of streams. */
export const EVENTS_TYPE = "text/event-stream";

/** A body of a request or an answer, with an example that fits it. */
export interface Content {
  /** Absent for a body of bytes. The schema of one event or one line of a stream. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
}

/** An answer that is not a refusal. */
export interface Reply {
  readonly description: string;
  /** Content by media type. */
  readonly content?: Readonly<Record<string, Content>>;
  /** Names of {@linkcode HEADERS}, besides the request id. */
  readonly headers?: readonly HeaderName[];
}

/** An operation: one method at one address. */
export interface Operation {
  readonly method: "get" | "post" | "delete";
  /** Path with names in braces. */
  readonly path: string;
  /** Stable and unique: generated clients make it the name of a method. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Callers that it answers. */
  readonly access: "anyone" | "key" | "token";
  /** True when its answers have the headers of the key's limits. */
  readonly limited?: boolean;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** Body by media type. */
  readonly body?: Readonly<Record<string, Content>>;
  /** Answers by status. */
  readonly replies: Readonly<Record<number, Reply>>;
  /** Refusals besides those of {@linkcode codesOf}. */
  readonly codes?: readonly ErrorCode[];
}

/** Headers of answers by name. */
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
  "Content-Disposition": { required: true, schema: { type: "string", const: "attachment" } },
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

/** Name of a header that answers may have. */
export type HeaderName = keyof typeof HEADERS;

/** Headers of the key's limits; an answer has only those of limits that the key has. */
export const LIMIT_HEADERS = Object.keys(HEADERS)
  .filter((name) => name.startsWith("x-ratelimit-")) as HeaderName[];

/** Statuses of refusals that name a time to retry. */
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
  "store_unavailable",
];
const WITH_BODY: readonly ErrorCode[] = ["body_too_large", "unsupported_media_type"];

/** Address that answers as long as the process runs, also while it shuts down. */
const ALWAYS_ANSWERED = "/healthz";

/** Returns every code with which an operation may refuse. */
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
