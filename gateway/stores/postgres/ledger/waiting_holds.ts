/**
 * The callers of this instance whose holds wait in the line.
 *
 * @module
 */

import type { HoldCommand, LedgerRefusal } from "../../../domain/ledger/ledger.ts";
import type { Micros } from "../../../domain/ledger/money.ts";
import { budgetOwner } from "../../../domain/ledger/state.ts";
import type { Applied } from "../../../ports/ledger_store.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { Batches, Needs } from "./batches.ts";
import { type Arrival, arrive, giveUp } from "./line.ts";

/** Time between two looks at a waiting hold, in milliseconds: another instance may have served it. */
const LOOK_MS = 100;

type Held = Applied<{ held: Micros }>;

/** Waiting holds by id, with the function that wakes them. */
export class WaitingHolds {
  readonly #batches: Batches;
  readonly #wake = new Map<string, () => void>();
  #isClosed = false;

  constructor(batches: Batches) {
    this.#batches = batches;
    batches.onCommitted = ({ answered }) => {
      for (const { command } of answered) this.#wake.get(command.holdId)?.();
    };
  }

  /** Takes a hold now, or when it is first in the line and affordable. */
  async hold(
    command: HoldCommand,
    { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Held> {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const leftMs = untilMs - performance.now();
      const mayWait = leftMs > 0 && signal?.aborted !== true;
      const arrival = await this.#arrive(command, mayWait);
      if (!arrival.isWaiting) return arrival.answer;
      await this.#sleep(command.holdId, Math.min(LOOK_MS, leftMs), signal);
      if (this.#isClosed) throw new StoreError("Cannot hold: the store is closing");
      const isOver = performance.now() >= untilMs || signal?.aborted === true;
      if (isOver) return await this.#giveUp(command, arrival.refusal);
    }
  }

  /** Refuses all waiting holds. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#wake.values()) wake();
    return Promise.resolve();
  }

  #arrive(command: HoldCommand, mayWait: boolean): Promise<Arrival> {
    return this.#batches.submit(needsOf(command), (view) => arrive(view, command, mayWait));
  }

  #giveUp(command: HoldCommand, refusal: LedgerRefusal): Promise<Held> {
    return this.#batches.submit(needsOf(command), (view) => giveUp(view, command, refusal));
  }

  #sleep(holdId: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        this.#wake.delete(holdId);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, ms));
      signal?.addEventListener("abort", wake, { once: true });
      this.#wake.set(holdId, wake);
    });
  }
}

function needsOf(command: HoldCommand): Needs {
  const { walletId, holdId } = command;
  return { wallets: [walletId], budgets: [budgetOwner(command)], holds: [holdId] };
}
