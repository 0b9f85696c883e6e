import type { Dialect } from "@svc/sdk/protocol";
import type { ServiceFault } from "../domain/fault.ts";
import { faultOf } from "../flows/request/fault_of.ts";
import { envelopeIn } from "../wire/metadata.ts";

export { faultOf };

/** Time that a caller is asked to wait where the fault has none, in milliseconds. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

/** Returns the answer to a failed request: the row of the error table, as JSON. */
export function errorResponse(
  fault: ServiceFault,
  requestId: string,
  dialect: Dialect = "service",
): Response {
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
  const envelope = envelopeIn(dialect, fault.envelope(requestId));
  return new Response(JSON.stringify(envelope), { status, headers });
}
