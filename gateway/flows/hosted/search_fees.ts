import type { Clock } from "../../ports/clock.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";
import type { Logger } from "../../ports/logger.ts";
import type { BillingMetadata } from "@svc/sdk/protocol";
import { ToolError } from "@svc/tools/tool";
import { ServiceFault } from "../../domain/fault.ts";
import type { SettleCommand } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";
import { addBilling } from "../request/billing.ts";
import { remainingCap } from "../plan/spending_cap.ts";
import { HOLD_WAIT_MS, type HoldDeps, takeHold, voidHold } from "../call/take_hold.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { isRefused, settleUntilConfirmed } from "../settle/confirmed_settlement.ts";

/** Name of searches in the journal and in every sum. */
const SEARCHES = "web_search_preview";

/** Parts of the service that fees of searches use. */
export type SearchFeeDeps = HoldDeps & {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly ledger: Pick<LedgerStore, "settle">;
  readonly logger: Logger;
};

/** A price with the version of its catalog. */
export interface Fee {
  readonly fee: Micros;
  readonly priceVersion: number;
}

/** The fees of the searches of one answer: each has its own hold, however many run at a time. */
export class SearchFees {
  readonly #deps: SearchFeeDeps;
  readonly #active: ActiveRequest;
  readonly #running = new Set<Promise<unknown>>();
  /** Fees of searches in progress. */
  #promised: Micros = 0n;

  constructor(deps: SearchFeeDeps, active: ActiveRequest) {
    this.#deps = deps;
    this.#active = active;
  }

  /**
   * Runs a search that has a price: held before it runs, settled after its results, voided if it
   * fails. A search that the wallet, the budget of the key or the cap of its policy cannot pay does
   * not run, and the model receives an error.
   */
  async pay<T>(price: Fee, run: () => Promise<T>): Promise<T> {
    if (price.fee === 0n) return await run();
    const payment = this.#pay(price, run);
    this.#running.add(payment);
    try {
      return await payment;
    } finally {
      this.#running.delete(payment);
    }
  }

  /** Resolves when no paid search is in progress. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #pay<T>(price: Fee, run: () => Promise<T>): Promise<T> {
    const { fee, priceVersion } = price;
    const cap = remainingCap(this.#active);
    if (cap !== undefined && this.#promised + fee > cap) throw unpaid();
    this.#promised += fee;
    try {
      const hold = await takeHold(this.#deps, this.#active, {
        model: SEARCHES,
        priceVersion,
        amount: fee,
        minimum: fee,
        waitMs: HOLD_WAIT_MS,
        signal: this.#active.signal,
      });
      if (hold instanceof ServiceFault) throw unpaid();
      const startMs = this.#deps.clock.monotonicMs();
      const result = await this.#runHeld(hold.id, run);
      const ms = Math.round(this.#deps.clock.monotonicMs() - startMs);
      await this.#settle(hold.id, price);
      this.#active.bill.addUse({ model: SEARCHES, provider: "", ms }, withFees(undefined, price));
      return result;
    } finally {
      this.#promised -= fee;
    }
  }

  async #runHeld<T>(holdId: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      voidHold(this.#deps, holdId, "the search failed");
      throw error;
    }
  }

  async #settle(holdId: string, { fee, priceVersion }: Fee): Promise<void> {
    const active = this.#active;
    const { clock, settlementRetries } = this.#deps;
    const atMs = clock.nowMs();
    const ending: SettleCommand = {
      kind: "settle",
      holdId,
      cost: fee,
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: 0,
      estimated: false,
      atMs,
    };
    try {
      await settleUntilConfirmed(this.#deps, {
        ending,
        rows: { killedRow: active.killedRow() },
        requestId: active.identity.requestId,
      });
    } catch (error) {
      if (isRefused(error)) throw error;
      // The model does not receive the results, so the search is not charged.
      const reason = "the store failed before the search was used";
      settlementRetries.add({ kind: "void", holdId, reason, atMs }, error);
      throw error;
    }
    active.bill.update(withFees(active.bill.settled, { fee, priceVersion }));
  }
}

/** Returns a bill with fees of searches added. */
function withFees(
  billed: BillingMetadata | undefined,
  { fee, priceVersion }: Fee,
): BillingMetadata {
  const fees = {
    currency: "credits",
    charged: formatCredits(fee),
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
    estimated: false,
    price_version: priceVersion,
  } as const;
  return billed === undefined ? fees : addBilling(billed, fees);
}

function unpaid(): ToolError {
  return new ToolError("The search cannot be paid for; answer without it, and say so", {
    code: "insufficient_balance",
  });
}
