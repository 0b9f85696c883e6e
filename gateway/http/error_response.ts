import type { Dialect } from "@svc/sdk/protocol";
import type { ServiceFault } from "../domain/fault.ts";
import { faultOf } from "../flows/call/fault_of.ts";
import type { Logger } from "../ports/logger.ts";
import { envelopeIn } from "../wire/metadata.ts";

export { faultOf };

/** Time that a caller is asked to wait where the fault has none, in milliseconds. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

/** Returns the fault that the caller receives for an error, and logs the details of a bug. */
export function callerFault(
  { logger }: { readonly logger: Logger },
  error: unknown,
  requestId: string,
): ServiceFault {
  const fault = faultOf(error);
  if (fault.code === "internal") {
    const cause = error instanceof Error ? error.stack ?? error.message : String(error);
    logger.error("internal_error", { requestId, cause });
  }
  return fault;
}

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
