/** The end of a wait. */
export type PauseOutcome = "elapsed" | "timeout" | "cancelled";

/**
 * The waits of one call. An aborted signal and {@linkcode Pause.end} shorten a wait, so that no
 * timer outlives its call.
 */
export class Pause {
  readonly #signal: AbortSignal;
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** True when the caller has disconnected. */
  get cancelled(): boolean {
    return this.#ended || this.#signal.aborted;
  }

  /** Waits for `ms` milliseconds, or for `limitMs` if that is less, with the outcome `timeout`. */
  async wait(ms: number, limitMs: number): Promise<PauseOutcome> {
    if (this.cancelled) return "cancelled";
    if (ms > 0) await this.#sleep(Math.min(ms, limitMs));
    if (this.cancelled) return "cancelled";
    return ms > limitMs ? "timeout" : "elapsed";
  }

  /** Ends the current wait and refuses later ones. */
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
