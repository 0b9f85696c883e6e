/**
 * What is done one after the other, small before large. What waits is passed by at most as much work
 * as its own, so that nothing waits for ever.
 */
export class LoadQueue {
  readonly #waiting: { readonly turn: number; readonly start: () => void }[] = [];
  /** Size of all that was ever started. */
  #started = 0;
  #isBusy = false;

  /** Does some work of a size when its turn comes. */
  async run<T>(size: number, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) {
      await new Promise<void>((start) => {
        this.#waiting.push({ turn: this.#started + size, start });
        this.#waiting.sort((one, other) => one.turn - other.turn);
      });
    }
    this.#isBusy = true;
    this.#started += Math.max(1, size);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      this.#isBusy = next !== undefined;
      next?.start();
    }
  }
}
