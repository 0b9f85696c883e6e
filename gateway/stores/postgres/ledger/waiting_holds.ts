/**
 * The callers of this instance whose holds wait in the line.
 *
 * @module
 */

import type { HoldCommand } from "../../../domain/ledger/ledger.ts";
import { budgetOwner } from "../../../domain/ledger/state.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { HoldAnswer, HoldRefusal } from "../../hold_answer.ts";
import type { BatchView } from "./batch_view.ts";
import type { Needs } from "./batches.ts";
import { textId } from "../text_id.ts";
import { type Arrival, arrive, giveUp, serve } from "./line.ts";
import type { LineWatch } from "./line_watch.ts";
import type { TimelyBatches } from "./timely_batches.ts";

interface WaitOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A hold in the line: why it waits, until when, and the number of notices before it came. */
interface Waiting {
  readonly refusal: HoldRefusal;
  readonly untilMs: number;
  readonly notices: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waiting holds of this instance. */
export class WaitingHolds {
  readonly #batches: TimelyBatches;
  readonly #line: LineWatch;
  #isClosed = false;

  constructor(batches: TimelyBatches, line: LineWatch) {
    this.#batches = batches;
    this.#line = line;
  }

  /** Hears of each durable batch of this instance. A line that it served in part is served on. */
  committed({ answered, lines }: Pick<BatchView, "answered" | "lines">): void {
    for (const { command } of answered) this.#line.answered(textId(command.holdId));
    for (const walletId of lines.unserved) {
      // Where it fails, the next change of the wallet serves the line.
      this.#batches.submit({ wallets: [walletId] }, (view) => serve(view, walletId))
        .catch(() => {});
    }
  }

  /**
   * Takes a hold now, or when it is first in the line and affordable. One that may still be in the
   * line, or was served from there, must be voided: the error says that it may have landed.
   */
  async hold(command: HoldCommand, options: WaitOptions): Promise<HoldAnswer> {
    const { notices } = this.#line;
    const mayWait = options.waitMs > 0 && options.signal?.aborted !== true;
    const untilMs = performance.now() + options.waitMs;
    const arrival = await this.#arrive(command, mayWait);
    if (!arrival.isWaiting) return arrival.answer;
    try {
      return await this.#wait(command, { ...arrival, ...options, untilMs, notices });
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
      throw new StoreError(`Cannot hold: ${cause.message}`, { cause, inDoubt: true });
    }
  }

  /** Refuses all waiting holds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#line.close();
  }

  async #wait(command: HoldCommand, first: Waiting): Promise<HoldAnswer> {
    const { signal, untilMs } = first;
    let { refusal, notices } = first;
    for (;;) {
      await this.#sleep(command.holdId, { ms: untilMs - performance.now(), signal, notices });
      if (this.#isClosed) throw new StoreError("The store is closing");
      const isOver = performance.now() >= untilMs || signal?.aborted === true;
      if (isOver) return await this.#giveUp(command, refusal);
      ({ notices } = this.#line);
      const arrival = await this.#arrive(command, true);
      if (!arrival.isWaiting) return arrival.answer;
      ({ refusal } = arrival);
    }
  }

  #arrive(command: HoldCommand, mayWait: boolean): Promise<Arrival> {
    return this.#batches.submit(needsOf(command), (view) => arrive(view, command, mayWait));
  }

  #giveUp(command: HoldCommand, refusal: HoldRefusal): Promise<HoldAnswer> {
    return this.#batches.submit(needsOf(command), (view) => giveUp(view, command, refusal));
  }

  /** Resolves when the hold was answered, when the time is over, or when its caller has gone. */
  async #sleep(
    holdId: string,
    { ms, signal, notices }: {
      readonly ms: number;
      readonly signal: AbortSignal | undefined;
      readonly notices: number;
    },
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, ms));
    const wake = () => resolve();
    signal?.addEventListener("abort", wake, { once: true });
    const unwatch = this.#line.watch(textId(holdId), { notices, wake });
    if (this.#isClosed || signal?.aborted === true) resolve();
    await promise;
    unwatch();
    signal?.removeEventListener("abort", wake);
    clearTimeout(timer);
  }
}

function needsOf(command: HoldCommand): Needs {
  const { walletId, holdId } = command;
  return { wallets: [walletId], budgets: [budgetOwner(command)], holds: [holdId] };
}
