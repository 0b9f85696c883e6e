/**
 * How much of an answer is held in memory, whatever a service sends.
 *
 * @module
 */

/**
 * Longest answer, in bytes: of one that comes in one piece, or of a stream over its whole life. A
 * longer one is a `ServiceConnectionError`.
 */
export const LONGEST_ANSWER_BYTES: number = 256 * 1024 * 1024;

/**
 * Longest event of a stream, in UTF-16 code units: the last one of a Responses stream repeats the
 * whole answer. A longer one is a `ServiceConnectionError`.
 */
export const LONGEST_EVENT_CHARS: number = 32 * 1024 * 1024;

/**
 * Longest body of an error that is read, in bytes. Of a longer one there are status, headers and
 * request id; its `body` is `undefined`.
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
