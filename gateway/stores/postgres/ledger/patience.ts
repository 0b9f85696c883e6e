import { StoreError } from "../../../ports/store_error.ts";

/** Maximum wait of a settlement for the database, in milliseconds. */
const SETTLEMENT_WAIT_MS = 15_000;
/** Time between two attempts, in milliseconds. */
const RETRY_MS = 250;

/**
 * Repeats work that is safe to repeat until the database is back, at most 15 s. Each attempt receives
 * what remains of them, and must not wait longer for its batch. An attempt that may have landed stays
 * in doubt, whatever the later ones say. `isOver` ends the wait early.
 *
 * @throws {StoreError} That of the last attempt.
 */
export async function untilStored<T>(
  work: (waitMs: number) => Promise<T>,
  isOver: () => boolean,
): Promise<T> {
  const untilMs = performance.now() + SETTLEMENT_WAIT_MS;
  let mayHaveLanded = false;
  for (;;) {
    try {
      return await work(Math.ceil(untilMs - performance.now()));
    } catch (error) {
      if (!(error instanceof StoreError) || error.isDamage) throw error;
      mayHaveLanded ||= error.mayHaveLanded;
      if (isOver() || performance.now() + RETRY_MS > untilMs) {
        throw mayHaveLanded && !error.mayHaveLanded
          ? new StoreError(error.message, { cause: error, inDoubt: true })
          : error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
