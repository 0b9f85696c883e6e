/**
 * Limits on the memory that an answer may take, whatever a service sends.
 *
 * @module
 */

/**
 * Longest answer, in bytes, whole or as a stream over its whole life. A longer one is a
 * `ServiceConnectionError`.
 */
export const LONGEST_ANSWER_BYTES: number = 256 * 1024 * 1024;

/**
 * Longest event of a stream, in UTF-16 code units. The last event of a Responses stream repeats the
 * whole answer. A longer one is a `ServiceConnectionError`.
 */
export const LONGEST_EVENT_CHARS: number = 32 * 1024 * 1024;

/**
 * Longest body of an error that is read, in bytes. A longer one gives status, headers and request
 * id; its `body` is `undefined`.
 *
 * @example
 * ```ts
 * import { LONGEST_ERROR_BYTES, ServiceAPIError, ServiceClient } from "@svc/sdk";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const page = "x".repeat(LONGEST_ERROR_BYTES + 1);
 * const client = new ServiceClient({
 *   fetch: () => Promise.resolve(new Response(page, { status: 502 })),
 * });
 * const error = await assertRejects(() => client.models.list(), ServiceAPIError);
 * assertEquals([error.message, error.body], ["The service answered with HTTP 502", undefined]);
 * ```
 */
export const LONGEST_ERROR_BYTES: number = 1024 * 1024;
