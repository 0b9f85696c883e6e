/** Runs tasks one after the other, in the order they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task when those before it are over, however they ended. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  }
}
