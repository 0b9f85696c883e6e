import type { ActiveRequest } from "../request/active_request.ts";
import type { RequestEnd } from "../request/report.ts";
import type { LogFailureDeps } from "../request/log_failure.ts";
import type { SettlementRetries } from "./settlement_retries.ts";

/** Parts of the service that logging the end of a request uses. */
export type LogEndDeps = LogFailureDeps & {
  readonly settlementRetries: Pick<SettlementRetries, "addRow">;
};

/** Writes the log row of a request whose calls have been settled one by one. Never throws. */
export async function logEnd(
  deps: LogEndDeps,
  active: ActiveRequest,
  end: RequestEnd,
): Promise<void> {
  const record = active.record(end);
  // A row must not be durable before the settlements that it counts.
  if (deps.settlementRetries.addRow(record)) return;
  try {
    await deps.log.append(record);
  } catch (error) {
    // The settlements are durable: a missing row must not cost the caller the answer.
    deps.logger.error("request_not_logged", { logId: record.id, cause: String(error) });
  }
}
