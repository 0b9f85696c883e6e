import type { KeyCounts } from "../domain/limits/key_limits.ts";

/** The result of a decision on the counts of a key, and the next counts. */
export interface CountsDecision<Result> {
  readonly counts: KeyCounts;
  readonly result: Result;
}

/**
 * The counts of keys at all instances together, by the store's clock. The slots of an instance that
 * has ended are not counted.
 */
export interface SharedCounts {
  /**
   * Decides on the counts of a key; resolves to the result once they are stored. No other decision
   * on the key comes between. `decide` may be called again after a failure. Rejects if the store
   * fails; the slots are then as before.
   */
  change<Result>(
    keyId: string,
    decide: (counts: KeyCounts, nowMs: number) => CountsDecision<Result>,
  ): Promise<Result>;
  /** Corrects the counts of a key soon, after earlier changes, again until the store takes it. */
  correct(keyId: string, correct: (counts: KeyCounts, nowMs: number) => KeyCounts): void;
}
