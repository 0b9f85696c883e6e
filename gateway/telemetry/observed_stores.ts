/**
 * Wrappers of the ledger and the request log that report each durable write: the only place that sees
 * the end of every request, whatever its outcome.
 *
 * @module
 */

import type { RequestLedger } from "../ports/ledger_store.ts";
import type { RequestLog, RequestRecord } from "../ports/request_log.ts";
import type { ServiceMetrics } from "./service_metrics.ts";

/** A receiver of durable writes. */
export interface StoreObserver {
  /** Called when the log row of a request is durable: the request has ended. */
  onRow(record: RequestRecord): void;
  readonly metrics: Pick<ServiceMetrics, "settled" | "holdRefused">;
}

/** Returns a request log that reports each row. */
export function observedLog(
  log: Pick<RequestLog, "append">,
  { onRow }: StoreObserver,
): Pick<RequestLog, "append"> {
  return {
    append: async (record) => {
      await log.append(record);
      onRow(record);
    },
  };
}

/** Returns a ledger that reports settlements, refused holds, and the rows written with settlements. */
export function observedLedger(
  ledger: RequestLedger,
  { onRow, metrics }: StoreObserver,
): RequestLedger {
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
    voidHold: (command) => ledger.voidHold(command),
    wallet: (id) => ledger.wallet(id),
    keySpend: (keyId) => ledger.keySpend(keyId),
  };
}
