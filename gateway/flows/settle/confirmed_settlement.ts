import { ServiceFault } from "../../domain/fault.ts";
import { InvariantError } from "../../domain/invariant.ts";
import type { LedgerRefusal, SettleCommand } from "../../domain/ledger/ledger.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import type { LedgerStore, SettlementRows } from "../../ports/ledger_store.ts";
import type { Logger } from "../../ports/logger.ts";
import { StoreError } from "../../ports/store_error.ts";
import { afterMs } from "../../system/deadlines.ts";

/** Maximum wait of an answer for the confirmation of its settlement, in milliseconds. */
export const DOUBT_MAX_MS = 30_000;
/** Time between two attempts, in milliseconds. */
export const DOUBT_RETRY_MS = 500;

/**
 * Settles a call with one write. Throws if the ledger refuses it, since a charge that was not made
 * must not be reported. No other code of this instance ends the hold, so a refusal is a bug, unless
 * another instance has ended it.
 */
export async function settleOnce(
  ledger: Pick<LedgerStore, "settle">,
  { ending, rows }: { readonly ending: SettleCommand; readonly rows: SettlementRows },
): Promise<void> {
  const applied = await ledger.settle(ending, rows);
  if (applied.ok) return;
  const refused = new RefusedSettlement(ending.holdId, applied.refusal);
  throw applied.refusal === "hold_ended" ? lostHold(refused) : refused;
}

/** The fault of a call that is too late: this instance was silent, and another ended its hold. */
function lostHold(cause: RefusedSettlement): ServiceFault {
  return new ServiceFault("store_unavailable", {
    message: "The gateway was cut off from its store during the call, and the call was ended: " +
      "send the request again",
    cause,
  });
}

/** True for the error of a settlement whose hold is not open: it cannot be ended later. */
export function isRefused(error: unknown): boolean {
  return error instanceof RefusedSettlement ||
    (error instanceof ServiceFault && error.cause instanceof RefusedSettlement);
}

/** The ledger refused a settlement: its hold is not open. */
export class RefusedSettlement extends InvariantError {
  readonly refusal: LedgerRefusal;

  constructor(holdId: string, refusal: LedgerRefusal) {
    super(`Settlement of hold "${holdId}" was refused: ${refusal}`);
    this.refusal = refusal;
  }
}

/**
 * Settles a call of which nothing has been delivered. While it is in doubt whether the settlement
 * has landed, the settlement is repeated under the same id, until the store confirms it or
 * {@linkcode DOUBT_MAX_MS} are over. It resolves if the call is charged, and throws if it is not:
 * then the hold can be voided. Only if the store stays in doubt all that time may the charge stand
 * without an answer: the error asks the caller not to repeat the call automatically, and the
 * operator gets one log line now and another when the outcome is known.
 */
export async function settleUntilConfirmed(
  { ledger, logger }: { readonly ledger: Pick<LedgerStore, "settle">; readonly logger: Logger },
  { ending, rows, requestId }: {
    readonly ending: SettleCommand;
    readonly rows: SettlementRows;
    /** Id of the request, for the log. */
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
  try {
    return await settleOnce(ledger, { ending, rows });
  } catch (error) {
    doubt = doubtOf(error, undefined);
  }
  let isLate = false;
  const callOff = afterMs(maxMs, () => isLate = true);
  try {
    while (doubt !== undefined && !isLate) {
      await new Promise<void>((resolve) => afterMs(retryMs, resolve));
      try {
        await settleOnce(ledger, { ending, rows });
        doubt = undefined;
      } catch (error) {
        doubt = doubtOf(error, doubt);
      }
    }
  } finally {
    callOff();
  }
  if (doubt === undefined) return;
  const { holdId, cost } = ending;
  logger.error("charge_in_doubt", { holdId, requestId, cost: formatCredits(cost) });
  throw new ServiceFault("store_unavailable", {
    message:
      "The call was made, but the store failed: its answer cannot be sent, and it is not known " +
      "yet whether it is charged. Sending it again makes another call; ask the operator",
    retryAfterMs: Infinity,
    cause: doubt,
  });
}

/**
 * Returns the error of a settlement that may or may not have landed; `undefined` if it has. Throws if
 * it has not.
 */
function doubtOf(error: unknown, doubt: StoreError | undefined): StoreError | undefined {
  // A later attempt that changed nothing proves nothing about the one in doubt: it may have landed.
  if (error instanceof StoreError && (error.inDoubt || doubt !== undefined)) return error;
  // The settlement in doubt has landed, so long ago that the ledger no longer remembers it.
  if (doubt !== undefined && isForgotten(error)) return undefined;
  throw error;
}

function isForgotten(error: unknown): boolean {
  return error instanceof RefusedSettlement && error.refusal === "hold_not_found";
}
