/**
 * Settlements and voids of holds that the store failed to write, repeated until it accepts them, so
 * that no hold stays open. Each is safe to repeat, and a restart ends the remaining holds.
 *
 * @module
 */

import type { SettleCommand, VoidCommand } from "../../domain/ledger/ledger.ts";
import type { LedgerStore, SettlementRows } from "../../ports/ledger_store.ts";
import type { Logger } from "../../ports/logger.ts";
import type { RequestRecord } from "../../ports/request_log.ts";

/** Time between two rounds of retries, in milliseconds. */
export const RETRY_MS = 1_000;

/** The command that ends a hold. */
export type HoldEnding = SettleCommand | VoidCommand;

interface WaitingEnding {
  readonly ending: HoldEnding;
  /** Log row of a request that ends with this hold: written with the settlement, and once. */
  row: RequestRecord | undefined;
  /**
   * Log row of the request, this settlement included, in case the gateway dies before the request
   * ends.
   */
  readonly killedRow: RequestRecord | undefined;
  /** True while a write is in progress. */
  isBeingTried: boolean;
}

/** Settlements and voids that wait for the store. */
export class SettlementRetries {
  readonly #ledger: Pick<LedgerStore, "settle" | "voidHold">;
  readonly #logger: Logger;
  readonly #waiting = new Map<string, WaitingEnding>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(ledger: Pick<LedgerStore, "settle" | "voidHold">, logger: Logger) {
    this.#ledger = ledger;
    this.#logger = logger;
  }

  /** Number of endings that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Adds an ending, and the rows of its request, after `cause` prevented the write. */
  add(ending: HoldEnding, cause: unknown, { row, killedRow }: SettlementRows = {}): void {
    const { holdId, kind } = ending;
    this.#logger.error("hold_not_ended", { holdId, kind, cause: String(cause) });
    this.#waiting.set(holdId, { ending, row, killedRow, isBeingTried: false });
    this.#schedule();
  }

  /**
   * Adds the log row of a request whose last settlement waits here: both are written together.
   * Returns false if none of its holds waits to be settled.
   */
  addRow(row: RequestRecord): boolean {
    for (const holdId of row.holdIds.toReversed()) {
      const waiting = this.#waiting.get(holdId);
      if (waiting === undefined || waiting.isBeingTried || waiting.ending.kind !== "settle") {
        continue;
      }
      waiting.row = row;
      return true;
    }
    return false;
  }

  /** Tries once more; the next start ends the remaining holds. */
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
    await Promise.all([...this.#waiting].map(async ([holdId, waiting]) => {
      const { ending, row, killedRow } = waiting;
      const { kind } = ending;
      waiting.isBeingTried = true;
      try {
        const applied = ending.kind === "settle"
          ? await this.#ledger.settle(
            ending,
            row === undefined ? { lateKilledRow: killedRow } : { row },
          )
          : await this.#ledger.voidHold(ending);
        this.#waiting.delete(holdId);
        // A settlement that was given up had landed after all: its caller received an error and was
        // charged.
        const isCharged = kind === "void" && !applied.ok && applied.refusal === "id_reused";
        if (isCharged) this.#logger.error("charged_without_answer", { holdId });
        else if (!applied.ok && kind === "settle") {
          // It may have landed long ago and be forgotten; otherwise a delivered answer is not
          // charged.
          const { refusal } = applied;
          this.#logger.error("settlement_refused", { holdId, refusal });
        } else this.#logger.info("hold_ended_late", { holdId, kind });
      } catch (error) {
        waiting.isBeingTried = false;
        this.#logger.warn("hold_still_open", { holdId, cause: String(error) });
      }
    }));
  }
}
