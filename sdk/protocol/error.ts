/**
 * Errors on the wire: one table for every listener.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** One row of {@linkcode ERROR_TABLE}: the properties of an error code. */
export interface ErrorRow {
  /** HTTP status. */
  readonly status: number;
  /** OpenAI's error type. */
  readonly type: ErrorType;
  /** True when the same request may succeed later. */
  readonly retryable: boolean;
  /** Public message for errors without a more specific one. */
  readonly message: string;
}

/** OpenAI's error types, as its clients know them. */
export type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "insufficient_quota"
  | "rate_limit_error"
  | "api_error"
  | "overloaded_error";

/**
 * Every code the service answers with: status, type, whether a retry can help, default message.
 *
 * @example Whether to try again
 * ```ts
 * import { ERROR_TABLE, type ErrorCode } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const code: ErrorCode = "rate_limit_exceeded";
 * assert(ERROR_TABLE[code].retryable);
 * ```
 */
export const ERROR_TABLE = {
  invalid_request: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    message: "The request is not valid",
  },
  model_not_allowed: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    message: 'Send "model": "auto": the service chooses the model itself',
  },
  unsupported_tool: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    message: "This hosted tool type is not supported",
  },
  conflicting_tools: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    message: "Send one web search tool, not several aliases of it",
  },
  context_length_exceeded: {
    status: 400,
    type: "invalid_request_error",
    retryable: false,
    message: "The request is longer than any model that this key may use accepts",
  },
  missing_api_key: {
    status: 401,
    type: "authentication_error",
    retryable: false,
    message: 'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>"',
  },
  invalid_api_key: {
    status: 401,
    type: "authentication_error",
    retryable: false,
    message: "The API key is not valid",
  },
  insufficient_balance: {
    status: 402,
    type: "insufficient_quota",
    retryable: false,
    message: "The wallet cannot cover the smallest possible call; add credits to it",
  },
  key_budget_exceeded: {
    status: 402,
    type: "insufficient_quota",
    retryable: false,
    message: "The key's own budget cannot cover the smallest possible call",
  },
  policy_denied: {
    status: 403,
    type: "permission_error",
    retryable: false,
    message: "The key's policy does not allow this request",
  },
  not_found: {
    status: 404,
    type: "invalid_request_error",
    retryable: false,
    message: "There is nothing at this address",
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    retryable: false,
    message: "This address does not take this method",
  },
  conflict: {
    status: 409,
    type: "invalid_request_error",
    retryable: false,
    message: "The change conflicts with the present state",
  },
  body_too_large: {
    status: 413,
    type: "invalid_request_error",
    retryable: false,
    message: "The request body is too large",
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    retryable: false,
    message: 'Send the body as "Content-Type: application/json"',
  },
  rate_limit_exceeded: {
    status: 429,
    type: "rate_limit_error",
    retryable: true,
    message: "Too many requests; wait as long as Retry-After says",
  },
  internal: {
    status: 500,
    type: "api_error",
    retryable: false,
    message: "An internal error; quote the request id to the operator",
  },
  upstream_error: {
    status: 502,
    type: "api_error",
    retryable: true,
    message: "Every model that could serve this request failed",
  },
  no_model_available: {
    status: 503,
    type: "overloaded_error",
    retryable: true,
    message: "No model that could serve this request is available now",
  },
  store_unavailable: {
    status: 503,
    type: "overloaded_error",
    retryable: true,
    message: "The service cannot write to its store; try again later",
  },
  shutting_down: {
    status: 503,
    type: "overloaded_error",
    retryable: true,
    message: "The service is shutting down",
  },
  upstream_timeout: {
    status: 504,
    type: "api_error",
    retryable: true,
    message: "Every model that could serve this request took too long",
  },
  orchestration_failed: {
    status: 200,
    type: "api_error",
    retryable: true,
    message: "The planned tasks failed before an answer began",
  },
} as const satisfies Record<string, ErrorRow>;

/** A code of {@linkcode ERROR_TABLE}. */
export type ErrorCode = keyof typeof ERROR_TABLE;

/** The error object of the gateway. */
export interface ErrorObject extends Extensible {
  /** One sentence for a person: what is wrong and what to do. */
  message: string;
  /** OpenAI's error type. */
  type: ErrorType;
  /** The row of the error table. */
  code: ErrorCode;
  /** Path of the offending field (`messages.2.content`), or `null`. */
  param: string | null;
  /** The request to quote. */
  request_id: string;
}

/** Body of every error answer, on every listener. */
export interface ErrorEnvelope extends Extensible {
  /** The error. */
  error: ErrorObject;
  /** Empty, and present only where a chat answer had begun or carries a failed orchestration. */
  choices?: [];
}
