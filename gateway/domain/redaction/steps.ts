/** Work on long texts, in steps between which its caller may do something else: see `runInSteps`. */
export type Steps<Result> = Generator<void, Result>;

/**
 * Characters of a step: about a millisecond. A request of somebody else needs several turns until
 * it is answered, and each may have to wait for a step.
 */
export const STEP_CHARS = 128 * 1024;

/** Does all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
