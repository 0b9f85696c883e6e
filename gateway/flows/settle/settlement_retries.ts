/**
 * Settlements and voids of holds that the store failed to write, repeated until it accepts them, so
 * that no hold stays open. Each is safe to repeat, and a restart ends the remaining holds.
 *
 * @module
 */

import type { SettleCommand, VoidCommand } from "../../domain/ledger/ledger.ts";
import type { LedgerStore, SettlementRows } from "../../ports/ledger_store.ts";
import type { Logger } from "../../ports/logger.ts";
import { StoreError } from "../../ports/store_error.ts";
import type { KilledRow, RequestRecord } from "../../ports/request_log.ts";

/** Time between two rounds of retries, in milliseconds. */
export const RETRY_MS = 1_000;

/** The command that ends a hold. */
export type HoldEnding = SettleCommand | VoidCommand;

interface WaitingEnding {
  readonly ending: HoldEnding;
  /** Log row of a request that ends with this hold: written with the settlement, and once. */
  row: RequestRecord | undefined;
  /**
   * Log row of the request in case the gateway dies before the request ends.
   */
  readonly killedRow: KilledRow | undefined;
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
    this.#waiting.set(holdId, { ending, row, killedRow });
    this.#schedule();
  }

  /**
   * Adds the log row of a request that has ended: it is written with the last of its settlements that
   * wait here. Returns false if none of its holds waits to be settled.
   */
  addRow(row: RequestRecord): boolean {
    const last = this.#settlementsOf(row.holdIds).at(-1);
    if (last === undefined) return false;
    last.row = row;
    return true;
  }

  /**
   * Settles what waits here of a request, before its end is settled: a complete answer has durable
   * settlements, and its log row counts no others. Returns `undefined` if nothing waits; rejects with
   * a `StoreError` if something still does.
   */
  settleEarlier(holdIds: readonly string[]): Promise<void> | undefined {
    const earlier = this.#settlementsOf(holdIds);
    return earlier.length === 0 ? undefined : this.#settleNow(earlier);
  }

  async #settleNow(earlier: readonly WaitingEnding[]): Promise<void> {
    await Promise.all(earlier.map((waiting) => this.#try(waiting)));
    if (!earlier.some(({ ending }) => this.#waiting.has(ending.holdId))) return;
    throw new StoreError("Cannot settle a request before its earlier calls", { untried: true });
  }

  /** Returns the settlements that wait for some holds. */
  #settlementsOf(holdIds: readonly string[]): readonly WaitingEnding[] {
    if (this.#waiting.size === 0) return [];
    return holdIds.flatMap((holdId) => this.#waiting.get(holdId) ?? [])
      .filter(({ ending: { kind } }) => kind === "settle");
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
    const waiting = [...this.#waiting.values()];
    await Promise.all(waiting.filter(({ row }) => row === undefined).map((one) => this.#try(one)));
    // Rows come last: they count the other settlements of their requests.
    await Promise.all(waiting.filter(({ row }) => row !== undefined).map((one) => this.#try(one)));
  }

  async #try(waiting: WaitingEnding): Promise<void> {
    const { ending, row, killedRow } = waiting;
    const { kind, holdId } = ending;
    if (row !== undefined && this.#settlementsOf(row.holdIds).some((one) => one !== waiting)) {
      return;
    }
    try {
      const applied = ending.kind === "settle"
        ? await this.#ledger.settle(ending, row === undefined ? { killedRow } : { row })
        : await this.#ledger.voidHold(ending);
      // The row of a request that has ended meanwhile is written by a repetition.
      if (waiting.row === row) this.#waiting.delete(holdId);
      // A settlement that was given up had landed after all: its caller received an error and was
      // charged.
      const isCharged = kind === "void" && !applied.ok && applied.refusal === "id_reused";
      if (isCharged) this.#logger.error("charged_without_answer", { holdId });
      else if (!applied.ok && kind === "settle") {
        // It may have landed long ago and be forgotten; otherwise a delivered answer is not charged.
        const { refusal } = applied;
        this.#logger.error("settlement_refused", { holdId, refusal });
      } else this.#logger.info("hold_ended_late", { holdId, kind });
    } catch (error) {
      this.#logger.warn("hold_still_open", { holdId, cause: String(error) });
    }
  }
}
