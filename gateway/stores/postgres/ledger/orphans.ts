/**
 * The ends of holds, and the log rows, of instances that were ended: as after a restart on a file.
 *
 * @module
 */

import { decideSettle, decideVoid } from "../../../domain/ledger/decide.ts";
import type { SettleCommand } from "../../../domain/ledger/ledger.ts";
import { upTo } from "../../kv/log/killed_row.ts";
import { applied } from "./applied.ts";
import type { BatchView } from "./batch_view.ts";

/**
 * Ends an open hold: at its last checkpoint, else without a charge. Its request's owed row takes up
 * the charge. A hold that was ended before stays as it is.
 */
export function endOrphan(
  view: BatchView,
  { holdId, atMs }: { readonly holdId: string; readonly atMs: number },
): void {
  const hold = view.hold(holdId);
  if (hold === undefined) return;
  const { logId, walletId, progress } = hold;
  if (progress === undefined) {
    const command = { kind: "expire", holdId, reason: "gateway instance lost", atMs } as const;
    applied(view, decideVoid(view, command), walletId);
    return;
  }
  const command: SettleCommand = {
    ...{ ...progress, kind: "settle", holdId },
    ...{ estimated: true, recovered: true, atMs },
  };
  const decision = decideSettle(view, command);
  const row = view.owedRow(logId);
  applied(view, decision, walletId);
  if (row === undefined || !decision.ok || decision.change === undefined) return;
  view.keepKilledRow(upTo(progress, row), decision.change.entry);
}

/** Writes the row that a request is owed, once none of its holds is open. */
export function appendOwed(view: BatchView, logId: string): void {
  const row = view.owedRow(logId);
  if (row !== undefined) view.appendLog(row);
}
