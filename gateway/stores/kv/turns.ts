import { setImmediate } from "node:timers";
import { BUSY_MS, IDLE_TURN_MS, READ_TURN_MS } from "./limits.ts";

/** Cuts long work into turns, so that requests are served meanwhile. */
export class Turns {
  #sinceMs = performance.now();
  #busyUntilMs = -Infinity;

  /**
   * Lets everybody else have a turn where this one has lasted long enough. Where others had something
   * to do they get as much time alone, for a while: a call takes many turns of the event loop, and
   * would wait in each of them.
   */
  async share(): Promise<void> {
    const leftMs = performance.now();
    if (leftMs - this.#sinceMs < READ_TURN_MS) return;
    if (leftMs < this.#busyUntilMs) {
      await new Promise<void>((resolve) => setTimeout(resolve, READ_TURN_MS));
      this.#sinceMs = performance.now();
      return;
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sinceMs = performance.now();
    if (this.#sinceMs - leftMs > IDLE_TURN_MS) this.#busyUntilMs = this.#sinceMs + BUSY_MS;
  }
}
