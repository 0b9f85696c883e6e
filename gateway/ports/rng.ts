/** Randomness, so that a run can be repeated. */
export interface Rng {
  /** A new unguessable id: the prefix, an underscore, 26 lower-case letters and digits, time-ordered. */
  id(prefix: string): string;
  /** Uniform in [0, 1). */
  next(): number;
}
