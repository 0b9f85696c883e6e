import { ServiceConnectionError, ServiceError, ServiceTimeoutError } from "./errors.ts";

/** Longest delay of `setTimeout` in milliseconds; it runs a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Limits of a call. */
export interface CallLimitOptions {
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit in milliseconds from the creation on; 0 or less: none. */
  readonly timeoutMs: number;
}

/** The lifetime of one call. It ends by its caller, by its time limit, or when the call is over. */
export class CallLimit {
  readonly #options: CallLimitOptions;
  readonly #controller = new AbortController();
  readonly #endsMs: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;

  /** Starts the timer. Throws the signal's reason when it is aborted already. */
  constructor(options: CallLimitOptions) {
    this.#options = options;
    const { signal, timeoutMs } = options;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#onAbort);
    this.#endsMs = timeoutMs > 0 ? performance.now() + timeoutMs : Infinity;
    if (timeoutMs > 0) this.#timer = setTimeout(this.#onTime, Math.min(timeoutMs, MAX_TIMER_MS));
  }

  /** Aborted when the call has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when at least this much time remains, in milliseconds. */
  hasLeft(ms: number): boolean {
    return performance.now() + ms < this.#endsMs;
  }

  /** Resolves after so many milliseconds, or rejects when the call has to end. */
  async wait(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await this.guard(over).finally(() => clearTimeout(timer));
  }

  /**
   * Resolves with the work's value, or rejects when the call has to end: a `fetch` of the
   * application may ignore its signal.
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

  /**
   * Returns the error for the caller in place of an error of the platform: the cause that ended the
   * call.
   */
  explain(error: unknown): unknown {
    const { signal, timeoutMs } = this.#options;
    if (signal?.aborted) return signal.reason;
    if (this.#isLate) return new ServiceTimeoutError(timeoutMs, { cause: error });
    if (error instanceof ServiceError) return error;
    return new ServiceConnectionError("The connection to the service failed", { cause: error });
  }

  /** Removes the timer and the listener, and closes the connection. Repeated calls do nothing. */
  end(): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  // A reader may never return to release the timer and the listener.
  readonly #onAbort = (): void => this.end();

  readonly #onTime = (): void => {
    this.#isLate = true;
    this.end();
  };
}
