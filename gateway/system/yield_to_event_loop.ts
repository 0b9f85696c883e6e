/** Bytes of text decoded without yielding. */
export const TURN_CHARS = 256 * 1024;
/** Length of a text above which work yields between any two steps; in characters. */
export const LONG_CHARS = 128 * 1024;

/**
 * Lets waiting work run, such as other requests and arrived responses. For work that takes long.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * A queue of long tasks of which one at a time has a turn of the event loop, however many they are.
 * Each continues when its turn has come, and queues again after it.
 */
export class YieldQueue {
  #last: Promise<void> = Promise.resolve();

  /** Waits for all earlier ones, and yields after each of them. */
  next(): Promise<void> {
    return this.#last = this.#last.then(yieldToEventLoop);
  }
}

/** Runs stepwise work and yields between any two steps. */
export async function runInSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}
