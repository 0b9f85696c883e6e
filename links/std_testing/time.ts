/**
 * Stands in for `@std/testing/time` where JSR cannot be reached: over `@sinonjs/fake-timers`.
 *
 * @module
 */
// @ts-types="@types/sinonjs__fake-timers"
import { type Clock, withGlobal } from "@sinonjs/fake-timers";

/**
 * A fake clock. Until it is disposed of, `Date`, `setTimeout`, `setInterval` and the functions that
 * clear them follow it; `performance.now` stays the platform's, as with the real package.
 */
export class FakeTime {
  readonly #clock: Clock & { uninstall(): void };

  /** Replaces the globals; the clock starts at `start`, by default at the present time. */
  constructor(start: number | string | Date | null = null) {
    this.#clock = withGlobal(globalThis).install({
      now: new Date(start ?? Date.now()),
      toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
  }

  /** Unix time in milliseconds. */
  get now(): number {
    return this.#clock.now;
  }

  /** Moves the clock forward by milliseconds and runs each timer that falls due, in order. */
  tick(ms = 0): void {
    this.#clock.tick(ms);
  }

  /** Moves to the next timer and runs it. Returns false when there is none. */
  next(): boolean {
    const isDue = this.#clock.countTimers() > 0;
    this.#clock.next();
    return isDue;
  }

  /** Gives the globals back. */
  restore(): void {
    this.#clock.uninstall();
  }

  /** Gives the globals back. */
  [Symbol.dispose](): void {
    this.restore();
  }
}
