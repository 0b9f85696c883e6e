/** Text that is decoded without giving others their turn meanwhile, in bytes. */
export const TURN_CHARS = 256 * 1024;
/** Between any two steps with a text longer than this others have their turn; in characters. */
export const LONG_CHARS = 128 * 1024;

/** Lets what waits be done: requests of others, answers that have come. For work that takes long. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/**
 * A line of those who have much to move: one of them has a turn of the event loop, however many they
 * are. Each goes on when its place has come, and stands behind the others again then.
 */
export class YieldQueue {
  #last: Promise<void> = Promise.resolve();

  /** Waits for those who came before, and lets others have their turn after each of them. */
  next(): Promise<void> {
    return this.#last = this.#last.then(yieldToEventLoop);
  }
}

/** Does what comes in steps, and lets others have their turn between any two of them. */
export async function runInSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}
