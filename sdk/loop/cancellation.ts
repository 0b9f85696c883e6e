/**
 * The cancellation of one loop; it stops the model and every tool.
 *
 * It keeps its own set of listeners: `Promise.race` against one long-lived promise would retain
 * memory for every event of a stream until the stream ends.
 */
export class Cancellation {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<(reason: unknown) => void>();
  /** The signal for ports. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops everything. Later calls do nothing. */
  cancel(reason: unknown): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    for (const listener of [...this.#listeners]) listener(this.signal.reason);
    this.#listeners.clear();
  }

  /**
   * Calls back once on cancellation, at once if it has happened already. The returned function
   * removes the listener.
   */
  onCancel(listener: (reason: unknown) => void): () => void {
    if (this.signal.aborted) {
      listener(this.signal.reason);
      return () => {};
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Resolves with the work's value, or rejects with the reason as soon as the loop is cancelled.
   */
  guard<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onCancel(reject);
      work.then((value) => {
        forget();
        resolve(value);
      }, (error) => {
        forget();
        reject(error);
      });
    });
  }

  /** Cancels with the caller's signal until the returned function is called. */
  follow(outer: AbortSignal): () => void {
    const onAbort = () => this.cancel(outer.reason);
    if (outer.aborted) onAbort();
    else outer.addEventListener("abort", onAbort, { once: true });
    return () => outer.removeEventListener("abort", onAbort);
  }
}

/** True for a value that has to be awaited. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== "object" || value === null) return false;
  return "then" in value && typeof value.then === "function";
}
