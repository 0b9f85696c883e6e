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

/** Type and retryability of the errors of a status. 200 is that of answers that have begun. */
const STATUSES = {
  200: { type: "api_error", retryable: true },
  400: { type: "invalid_request_error", retryable: false },
  401: { type: "authentication_error", retryable: false },
  402: { type: "insufficient_quota", retryable: false },
  403: { type: "permission_error", retryable: false },
  404: { type: "invalid_request_error", retryable: false },
  405: { type: "invalid_request_error", retryable: false },
  409: { type: "invalid_request_error", retryable: false },
  410: { type: "invalid_request_error", retryable: false },
  413: { type: "invalid_request_error", retryable: false },
  415: { type: "invalid_request_error", retryable: false },
  429: { type: "rate_limit_error", retryable: true },
  500: { type: "api_error", retryable: false },
  502: { type: "api_error", retryable: true },
  503: { type: "overloaded_error", retryable: true },
  504: { type: "api_error", retryable: true },
} as const satisfies Record<number, Pick<ErrorRow, "type" | "retryable">>;

/** Status and public message by code; {@linkcode ERROR_TABLE} adds what follows from the status. */
export const ERROR_CODES = {
  invalid_request: [400, "The request is not valid"],
  model_not_allowed: [400, 'Send "model": "auto": the service chooses the model itself'],
  unsupported_tool: [400, "This hosted tool type is not supported"],
  conflicting_tools: [400, "Send one web search tool, not several aliases of it"],
  context_length_exceeded: [
    400,
    "The request is longer than any model that this key may use accepts",
  ],
  missing_api_key: [401, 'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>"'],
  invalid_api_key: [401, "The API key is not valid"],
  insufficient_balance: [
    402,
    "The wallet cannot cover the smallest possible call; add credits to it",
  ],
  key_budget_exceeded: [402, "The key's own budget cannot cover the smallest possible call"],
  wallet_closed: [403, "The wallet of this key is closed; use a key of another wallet"],
  policy_denied: [403, "The key's policy does not allow this request"],
  not_found: [404, "There is nothing at this address"],
  method_not_allowed: [405, "This address does not take this method"],
  conflict: [409, "The change conflicts with the present state"],
  embedding_model_gone: [
    410,
    "The embedding model of this key is no longer offered; ask the operator to pin another",
  ],
  body_too_large: [413, "The request body is too large"],
  unsupported_media_type: [415, 'Send the body as "Content-Type: application/json"'],
  rate_limit_exceeded: [429, "Too many requests; wait as long as Retry-After says"],
  internal: [500, "An internal error; quote the request id to the operator"],
  upstream_error: [502, "Every model that could serve this request failed"],
  no_model_available: [503, "No model that could serve this request is available now"],
  store_unavailable: [503, "The service cannot write to its store; try again later"],
  shutting_down: [503, "The service is shutting down"],
  upstream_timeout: [504, "Every model that could serve this request took too long"],
  orchestration_failed: [200, "The planned tasks failed before an answer began"],
} as const satisfies Record<string, readonly [status: keyof typeof STATUSES, message: string]>;

/** A code of {@linkcode ERROR_TABLE}. */
export type ErrorCode = keyof typeof ERROR_CODES;

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
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, [status, message]]) => [
    code,
    { status, ...STATUSES[status], message },
  ]),
) as Record<ErrorCode, ErrorRow>;

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
