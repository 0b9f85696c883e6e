import type { GatewayContext } from "../context.ts";
import type { RequestEnd, RequestTrace } from "../request_trace.ts";

/** Writes the row of a request that has been settled, call by call, before. Never throws. */
export async function logEnd(
  gateway: GatewayContext,
  trace: RequestTrace,
  end: RequestEnd,
): Promise<void> {
  const record = trace.record(end);
  try {
    await gateway.log.append(record);
  } catch (error) {
    if (gateway.settlementRetries.addRow(record)) return;
    // The bill is in the books: a row that is missing must not cost the caller the answer.
    gateway.logger.error("request_not_logged", { logId: record.id, cause: String(error) });
  }
}
