/** How a wait ended. */
export type PauseOutcome = "elapsed" | "timeout" | "cancelled";

/**
 * The waits of one call. An aborted signal and {@linkcode Pause.end} cut a wait short, so that no
 * timer outlives its call.
 */
export class Pause {
  readonly #signal: AbortSignal;
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether nobody waits for the answer any more. */
  get cancelled(): boolean {
    return this.#ended || this.#signal.aborted;
  }

  /** Waits `ms` milliseconds, or `limitMs` where that is less: then the outcome is `timeout`. */
  async wait(ms: number, limitMs: number): Promise<PauseOutcome> {
    if (this.cancelled) return "cancelled";
    if (ms > 0) await this.#sleep(Math.min(ms, limitMs));
    if (this.cancelled) return "cancelled";
    return ms > limitMs ? "timeout" : "elapsed";
  }

  /** Ends the present wait and refuses later ones. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", wake);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#signal.addEventListener("abort", wake);
      this.#wake = wake;
    });
  }
}
