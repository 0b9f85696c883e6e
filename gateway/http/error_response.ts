import type { ServiceFault } from "../domain/fault.ts";

export { faultOf } from "../flows/fault_of.ts";

/** Milliseconds a caller is asked to wait where the case knows nothing better. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

/** The answer to a request that failed: the row of the error table, as JSON. */
export function errorResponse(fault: ServiceFault, requestId: string): Response {
  const headers = new Headers(fault.headers);
  headers.set("content-type", "application/json");
  headers.set("x-request-id", requestId);
  const status = fault.status;
  if (status === 429 || status === 503) {
    const waitMs = fault.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
    // OpenAI's clients retry every 429 and 503 that does not forbid it.
    if (waitMs === Infinity) headers.set("x-should-retry", "false");
    else headers.set("retry-after", String(Math.max(1, Math.ceil(waitMs / 1_000))));
  }
  return new Response(JSON.stringify(fault.envelope(requestId)), { status, headers });
}
