/**
 * Runs tasks one after another, small before large. A waiting task is passed by at most as much
 * work as its own, so that none waits for ever.
 */
export class LoadQueue {
  readonly #waiting: { readonly turn: number; readonly start: () => void }[] = [];
  /** Total size of all started tasks. */
  #started = 0;
  #isBusy = false;

  /** Runs a task of a size when its turn comes. */
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
