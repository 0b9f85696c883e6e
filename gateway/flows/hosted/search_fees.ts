import type { BillingMetadata } from "@svc/sdk/protocol";
import { ToolError } from "@svc/tools/tool";
import { ServiceFault } from "../../domain/fault.ts";
import type { SettleCommand } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";
import { addBilling } from "../settle/add_billing.ts";
import { rowsOf } from "../settle/bill.ts";
import type { GatewayContext } from "../context.ts";
import { capLeft, HOLD_WAIT_MS, letGo, takeHold } from "../call/take_hold.ts";
import type { RequestTrace } from "../request_trace.ts";
import { RefusedSettlement, settleUntilConfirmed } from "../settle/confirmed_settlement.ts";

/** What their holds are of, in the journal and in every sum. */
const SEARCHES = "web_search_preview";

/** A price, and the catalog version it is of. */
export interface Fee {
  readonly fee: Micros;
  readonly priceVersion: number;
}

/** What the searches of one answer cost: each has a hold of its own, however many run at a time. */
export class SearchFees {
  readonly #gateway: GatewayContext;
  readonly #trace: RequestTrace;
  readonly #running = new Set<Promise<unknown>>();
  /** Fees of searches under way. */
  #promised: Micros = 0n;
  /** Fees that are being settled. */
  #settling: Micros = 0n;

  constructor(gateway: GatewayContext, trace: RequestTrace) {
    this.#gateway = gateway;
    this.#trace = trace;
  }

  /**
   * Runs a search that has a price: held before it runs, settled when it has answered, given back
   * where it failed. What the wallet, the key's budget or its policy's cap cannot pay for does not
   * run, and the model is told so.
   */
  async pay<T>(price: Fee, run: () => Promise<T>): Promise<T> {
    if (price.fee === 0n) return await run();
    const paid = this.#pay(price, run);
    this.#running.add(paid);
    try {
      return await paid;
    } finally {
      this.#running.delete(paid);
    }
  }

  /** Resolves when no search is under way that must be paid for. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #pay<T>(price: Fee, run: () => Promise<T>): Promise<T> {
    const { fee, priceVersion } = price;
    const left = capLeft(this.#trace);
    if (left !== undefined && this.#promised + fee > left) throw unpaid();
    this.#promised += fee;
    try {
      const hold = await takeHold(this.#gateway, this.#trace, {
        model: SEARCHES,
        priceVersion,
        amount: fee,
        minimum: fee,
        waitMs: HOLD_WAIT_MS,
        signal: this.#trace.caller.signal,
      });
      if (hold instanceof ServiceFault) throw unpaid();
      const startMs = this.#gateway.clock.monotonicMs();
      const result = await this.#runHeld(hold.id, run);
      const ms = Math.round(this.#gateway.clock.monotonicMs() - startMs);
      await this.#settle(hold.id, price);
      this.#trace.used({ model: SEARCHES, provider: "", ms }, withFees(undefined, price));
      return result;
    } finally {
      this.#promised -= fee;
    }
  }

  async #runHeld<T>(holdId: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      letGo(this.#gateway, holdId, "the search failed");
      throw error;
    }
  }

  async #settle(holdId: string, { fee, priceVersion }: Fee): Promise<void> {
    const trace = this.#trace;
    const { clock, settlementRetries } = this.#gateway;
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
    this.#settling += fee;
    try {
      // Where the gateway dies, with those that are being settled at the same time.
      const total = withFees(trace.billed, { fee: this.#settling, priceVersion });
      const rows = rowsOf(trace, undefined, total);
      await settleUntilConfirmed(this.#gateway, {
        ending,
        rows,
        requestId: trace.caller.requestId,
      });
    } catch (error) {
      if (error instanceof RefusedSettlement) throw error;
      // The model does not get to see what it found, so nobody pays for it.
      const reason = "the store failed before the search was used";
      settlementRetries.add({ kind: "void", holdId, reason, atMs }, error);
      throw error;
    } finally {
      this.#settling -= fee;
    }
    trace.billed = withFees(trace.billed, { fee, priceVersion });
  }
}

/** A bill with fees of searches on it. */
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
