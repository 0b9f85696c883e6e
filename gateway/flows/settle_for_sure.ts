import type { SettleCommand } from "../domain/ledger.ts";
import { formatCredits } from "../domain/money.ts";
import type { LedgerStore, SettlementRows } from "../ports/ledger_store.ts";
import type { Logger } from "../ports/logger.ts";
import { StoreError } from "../ports/store_error.ts";
import { afterMs } from "../system/deadlines.ts";

/** Longest that an answer waits for whether its settlement has landed, in milliseconds. */
export const DOUBT_MAX_MS = 30_000;
/** Time between two tries, in milliseconds. */
export const DOUBT_RETRY_MS = 500;

/**
 * Settles a call of which nothing has been delivered yet. Where it is in doubt whether that has landed
 * it is asked for again, under the same id, until the store tells or {@linkcode DOUBT_MAX_MS} are
 * over. So it resolves where the call is charged; it throws where it is not, and the hold can be given
 * back. Only where the store could not tell in all that time may the charge stand without an answer:
 * the operator is told, now and again when it is known.
 */
export async function settleForSure(
  { ledger, logger }: {
    readonly ledger: Pick<LedgerStore, "settle">;
    readonly logger: Logger;
  },
  { ending, rows }: { readonly ending: SettleCommand; readonly rows: SettlementRows },
  { maxMs = DOUBT_MAX_MS, retryMs = DOUBT_RETRY_MS }: {
    /** @default {DOUBT_MAX_MS} */
    readonly maxMs?: number;
    /** @default {DOUBT_RETRY_MS} */
    readonly retryMs?: number;
  } = {},
): Promise<void> {
  let doubt: StoreError | undefined;
  const settle = async (): Promise<StoreError | undefined> => {
    try {
      await ledger.settle(ending, rows);
      return undefined;
    } catch (error) {
      // That a later try has changed nothing says nothing of the one in doubt: it may have landed.
      if (error instanceof StoreError && (error.inDoubt || doubt !== undefined)) return error;
      throw error;
    }
  };
  doubt = await settle();
  if (doubt === undefined) return;
  let isLate = false;
  const callOff = afterMs(maxMs, () => isLate = true);
  try {
    while (doubt !== undefined && !isLate) {
      await new Promise<void>((resolve) => afterMs(retryMs, resolve));
      doubt = await settle();
    }
  } finally {
    callOff();
  }
  if (doubt === undefined) return;
  const { holdId, cost } = ending;
  logger.error("charge_in_doubt", { holdId, cost: formatCredits(cost) });
  throw doubt;
}
