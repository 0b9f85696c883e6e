interface Waiting {
  isReady: boolean;
  readonly begin: () => void;
}

/**
 * Begins tasks in the order of the calls, each once its rows are in memory. A task that waits for a
 * row holds up those behind it for the time of one read.
 */
export class InOrder {
  #waiting: Waiting[] = [];

  /** Runs a task; `reading` is `undefined` if its rows are in memory. */
  run<Result>(
    reading: Promise<void> | undefined,
    task: () => Promise<Result>,
  ): Promise<Result> {
    if (reading === undefined && this.#waiting.length === 0) return task();
    return new Promise((resolve, reject) => {
      let failure: { readonly error: unknown } | undefined;
      const begin = () => failure === undefined ? resolve(task()) : reject(failure.error);
      const waiting: Waiting = { isReady: reading === undefined, begin };
      this.#waiting.push(waiting);
      reading?.catch((error: unknown) => failure = { error }).then(() => {
        waiting.isReady = true;
        this.#begin();
      });
    });
  }

  #begin(): void {
    const waiting = this.#waiting.findIndex(({ isReady }) => !isReady);
    const ready = this.#waiting.splice(0, waiting < 0 ? this.#waiting.length : waiting);
    for (const { begin } of ready) begin();
  }
}
