/** Requests under way: what a shutdown waits for, and in the end breaks off. */
export class InFlight {
  readonly #aborts = new Set<AbortController>();
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #isOver = false;

  /** Requests that have not been settled yet. */
  get count(): number {
    return this.#count;
  }

  /**
   * A request begins. The function returned ends it, calls `onLeave`, and does nothing when called
   * again.
   */
  enter(onLeave: () => void): () => void {
    this.#count += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#count -= 1;
      onLeave();
      if (this.#count === 0) { for (const wake of this.#waiting.splice(0)) wake(); }
    };
  }

  /** An upstream call begins; the function returned ends the watch. */
  watch(abort: AbortController): () => void {
    if (this.#isOver) abort.abort("shutdown");
    this.#aborts.add(abort);
    return () => this.#aborts.delete(abort);
  }

  /** Breaks off every upstream call under way, and every one that would begin after it. */
  abortAll(): void {
    this.#isOver = true;
    for (const abort of this.#aborts) abort.abort("shutdown");
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
