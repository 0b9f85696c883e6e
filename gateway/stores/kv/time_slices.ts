import { setImmediate } from "node:timers";
import { BUSY_MS, IDLE_TURN_MS, READ_TURN_MS } from "./limits.ts";

/** Splits long work into turns, so that requests are served meanwhile. */
export class TimeSlices {
  #sinceMs = performance.now();
  #busyUntilMs = -Infinity;

  /**
   * Yields to the event loop after a turn has lasted long enough. If other work was pending, yields
   * for as long as the turn took: a call needs many turns of the event loop, and would wait in each
   * of them.
   */
  async yieldWhenDue(): Promise<void> {
    const yieldedMs = performance.now();
    if (yieldedMs - this.#sinceMs < READ_TURN_MS) return;
    if (yieldedMs < this.#busyUntilMs) {
      await new Promise<void>((resolve) => setTimeout(resolve, READ_TURN_MS));
      this.#sinceMs = performance.now();
      return;
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sinceMs = performance.now();
    if (this.#sinceMs - yieldedMs > IDLE_TURN_MS) this.#busyUntilMs = this.#sinceMs + BUSY_MS;
  }
}
