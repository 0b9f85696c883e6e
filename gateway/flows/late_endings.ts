/**
 * Holds whose ending the store would not take: tried again until it does, so that none stays open.
 * Every ending is safe to repeat, and a restart expires what is left.
 *
 * @module
 */

import type { ReleaseCommand, SettleCommand } from "../domain/ledger.ts";
import type { LedgerStore } from "../ports/ledger_store.ts";
import type { Logger } from "../ports/logger.ts";

/** Time between two rounds of tries, in milliseconds. */
export const RETRY_MS = 1_000;

/** How a hold is to end. */
export type HoldEnding = SettleCommand | ReleaseCommand;

/** Endings that wait for the store. */
export class LateEndings {
  readonly #ledger: LedgerStore;
  readonly #logger: Logger;
  readonly #waiting = new Map<string, HoldEnding>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(ledger: LedgerStore, logger: Logger) {
    this.#ledger = ledger;
    this.#logger = logger;
  }

  /** Endings that wait now. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Takes an ending over after `cause` kept it from being written. */
  add(ending: HoldEnding, cause: unknown): void {
    const { holdId, kind } = ending;
    this.#logger.error("hold_not_ended", { holdId, kind, cause: String(cause) });
    this.#waiting.set(holdId, ending);
    this.#schedule();
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
    await Promise.all([...this.#waiting].map(async ([holdId, ending]) => {
      try {
        if (ending.kind === "settle") await this.#ledger.settle(ending);
        else await this.#ledger.release(ending);
        this.#waiting.delete(holdId);
        this.#logger.info("hold_ended_late", { holdId, kind: ending.kind });
      } catch (error) {
        this.#logger.warn("hold_still_open", { holdId, cause: String(error) });
      }
    }));
  }
}
