/**
 * Work on long texts in steps, between which the caller may yield to the event loop: see
 * `runInSteps`.
 */
export type Steps<Result> = Generator<void, Result>;

/**
 * Characters per step: about a millisecond. Other requests need several turns of the event loop,
 * and each may wait for one step.
 */
export const STEP_CHARS = 128 * 1024;

/** Runs all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
