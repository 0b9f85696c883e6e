import { ServiceConnectionError, ServiceError, ServiceTimeoutError } from "./errors.ts";

/** The longest that `setTimeout` can wait; it takes anything longer for nothing. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What can end a call early. */
export interface CallLimitOptions {
  /** The caller's. */
  readonly signal?: AbortSignal | undefined;
  /** For everything from now on; 0 or less: none. */
  readonly timeoutMs: number;
}

/** The life of one call: ended by its caller, by its time limit, or by being over. */
export class CallLimit {
  readonly #options: CallLimitOptions;
  readonly #controller = new AbortController();
  readonly #endsMs: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;

  /** Starts the clock. Throws the signal's reason where it is aborted already. */
  constructor(options: CallLimitOptions) {
    this.#options = options;
    const { signal, timeoutMs } = options;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#onAbort);
    this.#endsMs = timeoutMs > 0 ? performance.now() + timeoutMs : Infinity;
    if (timeoutMs > 0) this.#timer = setTimeout(this.#onTime, Math.min(timeoutMs, MAX_TIMER_MS));
  }

  /** Aborted as soon as the call is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether there is as much time left, in milliseconds. */
  hasLeft(ms: number): boolean {
    return performance.now() + ms < this.#endsMs;
  }

  /** Resolves after so many milliseconds, or rejects as soon as the call is to end. */
  async wait(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await this.guard(over).finally(() => clearTimeout(timer));
  }

  /**
   * What the work comes to, or a rejection as soon as the call is to end: not every `fetch` that
   * applications bring along hears a signal.
   */
  guard<T>(work: T | PromiseLike<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      Promise.resolve(work).then(resolve, reject)
        .finally(() => signal.removeEventListener("abort", stop));
    });
  }

  /** What the caller is told of an error of the platform's: who or what ended the call. */
  explain(error: unknown): unknown {
    const { signal, timeoutMs } = this.#options;
    if (signal?.aborted) return signal.reason;
    if (this.#isLate) return new ServiceTimeoutError(timeoutMs, { cause: error });
    if (error instanceof ServiceError) return error;
    return new ServiceConnectionError("The connection to the service failed", { cause: error });
  }

  /** Gives timer and signal back, and closes what is left of the connection. May be repeated. */
  end(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  // Whoever reads may never come back to hear of it: nothing may be left for them to give back.
  readonly #onAbort = (): void => this.end();

  readonly #onTime = (): void => {
    this.#isLate = true;
    this.end();
  };
}
