/** A source of randomness, so that a run can be repeated. */
export interface Rng {
  /**
   * Returns a new unguessable id: the prefix, an underscore, 26 lower-case letters and digits,
   * time-ordered.
   */
  id(prefix: string): string;
  /** Returns a number, uniform in [0, 1). */
  next(): number;
}
