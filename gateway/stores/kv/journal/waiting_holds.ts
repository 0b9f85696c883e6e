import type { HoldCommand } from "../../../domain/ledger/ledger.ts";
import { ShortBudgets } from "../../../domain/ledger/budgets.ts";
import { decideHold } from "../../../domain/ledger/decide.ts";
import type { LedgerDecision } from "../../../domain/ledger/state.ts";
import type { Micros } from "../../../domain/ledger/money.ts";
import { type HoldAnswer, holdAnswer, type HoldRefusal, holdRefusal } from "../../hold_answer.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { MAX_WAITING_HOLDS } from "../limits.ts";
import type { Stage } from "./stage.ts";
import type { Writer } from "./writer.ts";

interface Waiter {
  readonly command: HoldCommand;
  readonly waitMs: number;
  /** Aborted when the caller stops waiting for the hold. */
  readonly signal: AbortSignal | undefined;
  readonly resolve: (answer: HoldAnswer) => void;
  readonly reject: (error: Error) => void;
  /** Reason to wait. */
  refusal: HoldRefusal;
  /** Stops the timer and the abort listener. */
  unwatch(): void;
}

/**
 * Holds that wait for open ones to end, first come first served: a wallet's credits go to the first
 * in its queue, however small the next hold is. Holds that do not count against it may pass a hold
 * that waits for a budget.
 */
export class WaitingHolds {
  readonly #writer: Writer;
  readonly #queues = new Map<string, Waiter[]>();

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /**
   * Takes a hold now, or when it is first in the queue and affordable; resolves when it is durable,
   * refused or out of time.
   */
  hold(
    command: HoldCommand,
    { waitMs, signal }: { readonly waitMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<HoldAnswer> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ...{ command, waitMs, signal, resolve, reject },
        refusal: { ok: false, refusal: "insufficient_balance" },
        unwatch: () => {},
      };
      this.#writer.enqueue({ run: (stage) => this.#arrive(stage, waiter), reject });
    });
  }

  /** Serves a wallet's queue as far as its available credits allow. */
  serve(stage: Stage, walletId: string): void {
    const queue = this.#queues.get(walletId);
    if (queue === undefined) return;
    const waiting: Waiter[] = [];
    const short = new ShortBudgets();
    for (const [place, waiter] of queue.entries()) {
      if (stage.bursting) {
        // The rest of the queue is served in the next commit.
        waiting.push(...queue.slice(place));
        this.#serveLater(walletId);
        break;
      }
      if (short.has(waiter.command)) {
        waiting.push(waiter);
        continue;
      }
      const decision = decideHold(stage, waiter.command);
      if (decision.ok || !decision.waitable) {
        answer(stage, waiter, decision);
        continue;
      }
      waiter.refusal = holdRefusal(decision);
      waiting.push(waiter);
      if (decision.refusal === "insufficient_balance") {
        waiting.push(...queue.slice(place + 1));
        break;
      }
      short.add(waiter.command, decision.short);
    }
    if (waiting.length === 0) this.#queues.delete(walletId);
    else this.#queues.set(walletId, waiting);
  }

  /** Refuses all waiting holds. */
  close(): void {
    for (const queue of this.#queues.values()) {
      for (const waiter of queue) {
        waiter.unwatch();
        waiter.reject(new StoreError("Cannot hold: the store is closing"));
      }
    }
    this.#queues.clear();
  }

  #arrive(stage: Stage, waiter: Waiter): void {
    const { command, waitMs } = waiter;
    const decision = decideHold(stage, command);
    const queue = this.#queues.get(command.walletId) ?? [];
    const settled = decision.ok ? decision.change === undefined : !decision.waitable;
    if (settled || (queue.length === 0 && (decision.ok || waitMs <= 0))) {
      return answer(stage, waiter, decision);
    }
    if (!decision.ok) waiter.refusal = holdRefusal(decision);
    this.#queues.set(command.walletId, [...queue, waiter]);
    this.serve(stage, command.walletId);
    if (!this.#isWaiting(waiter)) return;
    const isLeft = waiter.signal?.aborted === true;
    if (waitMs <= 0 || isLeft || queue.length >= MAX_WAITING_HOLDS) return this.#giveUp(waiter);
    this.#watch(waiter);
  }

  #watch(waiter: Waiter): void {
    const { signal, waitMs } = waiter;
    const giveUp = () => this.#giveUp(waiter);
    const timer = setTimeout(giveUp, waitMs);
    signal?.addEventListener("abort", giveUp, { once: true });
    waiter.unwatch = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    };
  }

  #isWaiting(waiter: Waiter): boolean {
    return this.#queues.get(waiter.command.walletId)?.includes(waiter) ?? false;
  }

  #giveUp(waiter: Waiter): void {
    waiter.unwatch();
    const { walletId } = waiter.command;
    const queue = (this.#queues.get(walletId) ?? []).filter((other) => other !== waiter);
    if (queue.length === 0) this.#queues.delete(walletId);
    else {
      this.#queues.set(walletId, queue);
      // Holds behind it may need less.
      this.#serveLater(walletId);
    }
    waiter.resolve(waiter.refusal);
  }

  #serveLater(walletId: string): void {
    // If no commit is possible, waiting holds stay in the queue until they are out of time.
    this.#writer.enqueue({ run: (stage) => this.serve(stage, walletId), reject: () => {} });
  }
}

function answer(stage: Stage, waiter: Waiter, decision: LedgerDecision<{ held: Micros }>): void {
  waiter.unwatch();
  if (decision.ok && decision.change !== undefined) stage.apply(decision.change);
  const applied = holdAnswer(decision);
  stage.answer({ resolve: () => waiter.resolve(applied), reject: waiter.reject });
}
