/**
 * Many deadlines on one timer. Each request sets a few that hardly ever pass; a timer of the
 * platform costs as much as reading the request's body.
 *
 * @module
 */

import { Roster } from "./roster.ts";

/** Clock and timer behind deadlines. */
export interface TimerClock {
  /** Milliseconds since a fixed moment; never goes back. */
  nowMs(): number;
  /** Runs a function once after `ms` milliseconds; returns a function that cancels it. */
  start(ms: number, run: () => void): () => void;
}

/** Runs a function after `ms` milliseconds, unless the returned function is called before. */
export type AfterMs = (ms: number, run: () => void) => () => void;

interface Deadline {
  readonly dueMs: number;
  /** Number in the order in which deadlines are set. */
  readonly number: number;
  readonly run: () => void;
  /** Takes it from the pending ones: true the first time. */
  leave: () => boolean;
}

/** Creates deadlines on one timer of a clock. */
export function deadlinesOf(clock: TimerClock): AfterMs {
  const pending = new Roster<Deadline>();
  let number = 0;
  let stopTimer: (() => void) | undefined;
  let timerDueMs = Infinity;

  function arm(dueMs: number): void {
    stopTimer?.();
    timerDueMs = dueMs;
    stopTimer = clock.start(Math.max(0, dueMs - clock.nowMs()), pass);
  }

  function disarm(): void {
    stopTimer?.();
    stopTimer = undefined;
    timerDueMs = Infinity;
  }

  function pass(): void {
    disarm();
    const nowMs = clock.nowMs();
    const passed: Deadline[] = [];
    let nextMs = Infinity;
    for (const deadline of pending) {
      // Timers may fire a fraction of a millisecond early.
      if (deadline.dueMs - nowMs < 1) passed.push(deadline);
      else if (deadline.dueMs < nextMs) nextMs = deadline.dueMs;
    }
    if (nextMs !== Infinity) arm(nextMs);
    // After a pause of the process several are due, set in another order.
    passed.sort((a, b) => a.dueMs - b.dueMs || a.number - b.number);
    for (const deadline of passed) {
      // An earlier one may have cancelled this one.
      if (deadline.leave()) deadline.run();
    }
  }

  return (ms, run) => {
    const deadline: Deadline = {
      dueMs: clock.nowMs() + ms,
      number: ++number,
      run,
      leave: () => false,
    };
    deadline.leave = pending.join(deadline);
    if (deadline.dueMs < timerDueMs) arm(deadline.dueMs);
    return () => {
      if (deadline.leave() && pending.size === 0) disarm();
    };
  };
}

/** Deadlines on the platform's clock. */
export const afterMs: AfterMs = deadlinesOf({
  nowMs: () => performance.now(),
  start: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});
