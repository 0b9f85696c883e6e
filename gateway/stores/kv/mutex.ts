/** Runs tasks one after another, in order of arrival. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task after all earlier ones, whatever their outcome. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Runs tasks of one name one after another, and those of different names at the same time. */
export class NamedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs a task after all earlier ones of its name, whatever their outcome. */
  run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(name) ?? Promise.resolve()).then(task);
    const last = result.catch(() => {}).then(() => {
      if (this.#last.get(name) === last) this.#last.delete(name);
    });
    this.#last.set(name, last);
    return result;
  }
}
