/** Work on long texts, in steps between which its caller may do something else: see `inTurns`. */
export type Steps<Result> = Generator<void, Result>;

/** Characters of a step: a few milliseconds. */
export const STEP_CHARS = 512 * 1024;

/** Does all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
