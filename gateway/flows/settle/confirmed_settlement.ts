import { ServiceFault } from "../../domain/fault.ts";
import { InvariantError } from "../../domain/invariant.ts";
import type { LedgerRefusal, SettleCommand } from "../../domain/ledger/ledger.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import type { LedgerStore, SettlementRows } from "../../ports/ledger_store.ts";
import type { Logger } from "../../ports/logger.ts";
import { StoreError } from "../../ports/store_error.ts";
import { afterMs } from "../../system/deadlines.ts";

/** Longest that an answer waits for whether its settlement has landed, in milliseconds. */
export const DOUBT_MAX_MS = 30_000;
/** Time between two tries, in milliseconds. */
export const DOUBT_RETRY_MS = 500;

/**
 * Settles a call, once. Throws where the books refuse it: a hold that was taken is ended by nobody
 * else, so that is a bug, and nobody may be told of a charge that is not there.
 */
export async function settleOnce(
  ledger: Pick<LedgerStore, "settle">,
  { ending, rows }: { readonly ending: SettleCommand; readonly rows: SettlementRows },
): Promise<void> {
  const applied = await ledger.settle(ending, rows);
  if (!applied.ok) throw new RefusedSettlement(ending.holdId, applied.refusal);
}

/** The books would not take a settlement: its hold is not open. */
export class RefusedSettlement extends InvariantError {
  readonly refusal: LedgerRefusal;

  constructor(holdId: string, refusal: LedgerRefusal) {
    super(`Settlement of hold "${holdId}" was refused: ${refusal}`);
    this.refusal = refusal;
  }
}

/**
 * Settles a call of which nothing has been delivered yet. Where it is in doubt whether that has landed
 * it is asked for again, under the same id, until the store tells or {@linkcode DOUBT_MAX_MS} are
 * over. So it resolves where the call is charged; it throws where it is not, and the hold can be given
 * back. Only where the store could not tell in all that time may the charge stand without an answer:
 * the caller is told so, and not to repeat the call by itself; the operator is told, now and again
 * when it is known.
 */
export async function settleUntilConfirmed(
  { ledger, logger }: {
    readonly ledger: Pick<LedgerStore, "settle">;
    readonly logger: Logger;
  },
  { ending, rows, requestId }: {
    readonly ending: SettleCommand;
    readonly rows: SettlementRows;
    /** Whose call it is: for the operator. */
    readonly requestId: string;
  },
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
      await settleOnce(ledger, { ending, rows });
      return undefined;
    } catch (error) {
      // That a later try has changed nothing says nothing of the one in doubt: it may have landed.
      if (error instanceof StoreError && (error.inDoubt || doubt !== undefined)) return error;
      // The one in doubt has landed, and so many others since that it is not remembered.
      if (doubt !== undefined && isForgotten(error)) return undefined;
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
  logger.error("charge_in_doubt", { holdId, requestId, cost: formatCredits(cost) });
  throw new ServiceFault("store_unavailable", {
    message: "The call was made, but for a failure of the store its answer cannot be given, and " +
      "whether it is charged is not known yet. Sent again it is another call; ask the operator",
    retryAfterMs: Infinity,
    cause: doubt,
  });
}

function isForgotten(error: unknown): boolean {
  return error instanceof RefusedSettlement && error.refusal === "hold_not_found";
}
