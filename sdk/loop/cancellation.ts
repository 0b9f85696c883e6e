/**
 * The one switch that stops the model and every tool of a loop.
 *
 * It keeps its own set of listeners: `Promise.race` against one long-lived promise would keep
 * something for every event of a stream until the stream ends.
 */
export class Cancellation {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<(reason: unknown) => void>();
  /** For ports. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops everything, once. */
  cancel(reason: unknown): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    for (const listener of [...this.#listeners]) listener(this.signal.reason);
    this.#listeners.clear();
  }

  /** Calls back once on cancellation, at once if that has been, unless told otherwise before. */
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

  /** What the work comes to, or a rejection with the reason as soon as there is a cancellation. */
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

  /** Is cancelled with the caller's signal, until the function it answers with is called. */
  follow(outer: AbortSignal): () => void {
    const onAbort = () => this.cancel(outer.reason);
    if (outer.aborted) onAbort();
    else outer.addEventListener("abort", onAbort, { once: true });
    return () => outer.removeEventListener("abort", onAbort);
  }
}

/** Whether there is something to wait for in what a hook answered with. */
export function isPromise(told: unknown): told is PromiseLike<unknown> {
  if (typeof told !== "object" || told === null) return false;
  return "then" in told && typeof told.then === "function";
}
