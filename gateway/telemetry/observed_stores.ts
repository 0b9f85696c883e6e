/**
 * The books and the request log as flows see them, telling what was made durable: the one place where
 * a request is known to have ended, whatever became of it.
 *
 * @module
 */

import type { FlowLedger, FlowLog } from "../flows/context.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import type { ServiceMetrics } from "./service_metrics.ts";

/** Who is told. */
export interface StoreObserver {
  /** A row is durable: its request is over. */
  onRow(record: RequestRecord): void;
  readonly metrics: Pick<ServiceMetrics, "settled" | "holdRefused">;
}

/** A log that tells of each row. */
export function observedLog(log: FlowLog, { onRow }: StoreObserver): FlowLog {
  return {
    append: async (record) => {
      await log.append(record);
      onRow(record);
    },
  };
}

/** Books that tell of settlements, refused holds, and rows that came with them. */
export function observedLedger(
  ledger: FlowLedger,
  { onRow, metrics }: StoreObserver,
): FlowLedger {
  return {
    hold: async (command, options) => {
      const applied = await ledger.hold(command, options);
      if (!applied.ok) metrics.holdRefused(applied.refusal);
      return applied;
    },
    progress: (command, killedRow) => ledger.progress(command, killedRow),
    settle: async (command, rows) => {
      const applied = await ledger.settle(command, rows);
      if (applied.ok) {
        metrics.settled(applied.value);
        if (rows?.row !== undefined) onRow(rows.row);
      }
      return applied;
    },
    release: (command) => ledger.release(command),
    wallet: (id) => ledger.wallet(id),
    keySpend: (keyId) => ledger.keySpend(keyId),
  };
}
