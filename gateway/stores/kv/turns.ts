import { setImmediate } from "node:timers";
import { READ_TURN_MS } from "./limits.ts";

/** Cuts long work into turns of the event loop, so that requests are served meanwhile. */
export class Turns {
  #sinceMs = performance.now();

  /** Lets everybody else have a turn where this one has lasted long enough. */
  async share(): Promise<void> {
    if (performance.now() - this.#sinceMs < READ_TURN_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sinceMs = performance.now();
  }
}
