/**
 * Holds whose ending the store would not take: tried again until it does, so that none stays open.
 * Every ending is safe to repeat, and a restart ends what is left.
 *
 * @module
 */

import type { ReleaseCommand, SettleCommand } from "../../domain/ledger/ledger.ts";
import type { LedgerStore, SettlementRows } from "../../ports/ledger_store.ts";
import type { Logger } from "../../ports/logger.ts";
import type { RequestRecord } from "../../ports/request_log.ts";

/** Time between two rounds of tries, in milliseconds. */
export const RETRY_MS = 1_000;

/** How a hold is to end. */
export type HoldEnding = SettleCommand | ReleaseCommand;

interface LateEnding {
  readonly ending: HoldEnding;
  /** The log row of a request that ends with it: written with the settlement, and once. */
  row: RequestRecord | undefined;
  /** Until then: the row that its request gets where the gateway dies, this settlement included. */
  readonly killedRow: RequestRecord | undefined;
  /** The store is asked right now. */
  isBeingTried: boolean;
}

/** Endings that wait for the store. */
export class SettlementRetries {
  readonly #ledger: Pick<LedgerStore, "settle" | "release">;
  readonly #logger: Logger;
  readonly #waiting = new Map<string, LateEnding>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(ledger: Pick<LedgerStore, "settle" | "release">, logger: Logger) {
    this.#ledger = ledger;
    this.#logger = logger;
  }

  /** Endings that wait now. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Takes an ending over, and what it leaves of its request, after `cause` kept it from being written. */
  add(
    ending: HoldEnding,
    cause: unknown,
    { row, killedRow }: SettlementRows = {},
  ): void {
    const { holdId, kind } = ending;
    this.#logger.error("hold_not_ended", { holdId, kind, cause: String(cause) });
    this.#waiting.set(holdId, { ending, row, killedRow, isBeingTried: false });
    this.#schedule();
  }

  /**
   * Takes over the row of a request whose last settlement waits here: it is written with that. False
   * where none of its holds waits to be settled.
   */
  addRow(row: RequestRecord): boolean {
    for (const holdId of row.holdIds.toReversed()) {
      const late = this.#waiting.get(holdId);
      if (late === undefined || late.isBeingTried || late.ending.kind !== "settle") continue;
      late.row = row;
      return true;
    }
    return false;
  }

  /** Tries once more and then leaves the rest to the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#retry();
  }

  #schedule(): void {
    if (this.#closed || this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#retry().then(() => this.#schedule());
    }, RETRY_MS);
  }

  async #retry(): Promise<void> {
    await Promise.all([...this.#waiting].map(async ([holdId, late]) => {
      const { ending, row, killedRow } = late;
      const { kind } = ending;
      late.isBeingTried = true;
      try {
        const applied = ending.kind === "settle"
          ? await this.#ledger.settle(
            ending,
            row === undefined ? { lateKilledRow: killedRow } : { row },
          )
          : await this.#ledger.release(ending);
        this.#waiting.delete(holdId);
        // A settlement that was given up had landed after all: its caller was refused, and has paid.
        const isCharged = kind === "void" && !applied.ok && applied.refusal === "id_reused";
        if (isCharged) this.#logger.error("charged_without_answer", { holdId });
        else if (!applied.ok && kind === "settle") {
          // It may have landed long ago, and be forgotten; otherwise what was delivered is not billed.
          const { refusal } = applied;
          this.#logger.error("settlement_refused", { holdId, refusal });
        } else this.#logger.info("hold_ended_late", { holdId, kind });
      } catch (error) {
        late.isBeingTried = false;
        this.#logger.warn("hold_still_open", { holdId, cause: String(error) });
      }
    }));
  }
}
