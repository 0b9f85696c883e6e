import type { Progress } from "../../../domain/ledger/ledger.ts";
import type { KilledRow } from "../../../ports/request_log.ts";

/** Returns the row of a killed request, which lasts at least to a checkpoint. */
export function upTo<Row extends KilledRow>(progress: Progress, row: Row): Row {
  return { ...row, durationMs: Math.max(row.durationMs, progress.atMs - row.atMs) };
}
