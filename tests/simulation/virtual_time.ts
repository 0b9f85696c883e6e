/**
 * A virtual time that the simulation controls.
 *
 * The gateway takes its clock as a port, but its timers from the platform: during a run
 * `setTimeout`, `clearTimeout` and `performance.now` are virtual. `setImmediate`, which no code can
 * replace, stays that of the platform: it runs in the order of its calls, so a run repeats.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import type { Clock } from "../../gateway/ports/clock.ts";
import { afterMs } from "../../gateway/system/deadlines.ts";

interface Timer {
  readonly id: number;
  readonly dueMs: number;
  readonly run: () => void;
}

/** Turns of the event loop after which everything that can continue has continued. */
const TURNS = 8;
const DAY_MS = 24 * 60 * 60 * 1_000;
const START_MS = Date.UTC(2026, 0, 15, 12);
/** Maximum times that one batch of deadlines may set new ones, before they count as endless. */
const MOST_ROUNDS = 1_000;

/** Lets everything continue that waits for no outside event. */
export async function settle(turns = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** The time of one run, with its timers. */
export class VirtualTime implements Disposable {
  readonly #real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    now: performance.now,
  };
  readonly #timers = new Map<number, Timer>();
  /** The timer that the deadlines of the gateway share. */
  readonly #passDeadlines: (() => void) | undefined;
  #nowMs = 0;
  #offsetMs = START_MS;
  #lastId = 0;

  /** Replaces the timers of the platform until it is disposed of. */
  constructor() {
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms = 0) => this.#set(run, ms),
      clearTimeout: (id: number | undefined) => void this.#timers.delete(id ?? 0),
    });
    performance.now = () => this.#nowMs;
    const callOff = afterMs(0, () => {});
    this.#passDeadlines = [...this.#timers.values()].at(-1)?.run;
    callOff();
  }

  /** Clock of the gateway: a wall clock that can jump, and a monotonic one. */
  readonly clock: Clock = {
    nowMs: () => this.#nowMs + this.#offsetMs,
    monotonicMs: () => this.#nowMs,
  };

  /** Lets time pass; timers run in the order they are due, each with everything that follows. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#soonest();
      if (next === undefined || next.dueMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#timers.delete(next.id);
      next.run();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /** Moves only the wall clock, at most one day from its true time. */
  jump(ms: number): void {
    const offsetMs = this.#offsetMs + ms;
    this.#offsetMs = Math.min(START_MS + DAY_MS, Math.max(START_MS - DAY_MS, offsetMs));
  }

  /**
   * Drops all timers, as the end of a process does. Deadlines belong to a module that outlives the
   * simulated process, so the remaining ones are run first. Returns false if they set new ones
   * without end.
   */
  async forget(): Promise<boolean> {
    const stoppedMs = this.#nowMs;
    let round = 0;
    for (; this.#deadline !== undefined; round++) {
      const { id, run } = this.#deadline;
      // At the end of time, where new timers are never due.
      this.#nowMs = round < MOST_ROUNDS ? this.#nowMs + DAY_MS : Infinity;
      this.#timers.delete(id);
      run();
      await settle();
    }
    this.#timers.clear();
    this.#nowMs = stoppedMs;
    return round <= MOST_ROUNDS;
  }

  /** Waits for something, at most this many milliseconds of real time: then calls `onLate`. */
  async race(act: Promise<void>, maxMs: number, onLate: () => void): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = this.#real.setTimeout(() => {
      onLate();
      late.resolve();
    }, maxMs);
    try {
      await Promise.race([act, late.promise]);
    } finally {
      this.#real.clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    const { now, ...timers } = this.#real;
    Object.assign(globalThis, timers);
    performance.now = now;
  }

  get #deadline(): Timer | undefined {
    return [...this.#timers.values()].find(({ run }) => run === this.#passDeadlines);
  }

  #set(run: () => void, ms: number): number {
    const id = ++this.#lastId;
    this.#timers.set(id, { id, dueMs: this.#nowMs + Math.max(0, ms), run });
    return id;
  }

  #soonest(): Timer | undefined {
    let soonest: Timer | undefined;
    for (const timer of this.#timers.values()) {
      if (soonest === undefined || timer.dueMs < soonest.dueMs) soonest = timer;
    }
    return soonest;
  }
}
