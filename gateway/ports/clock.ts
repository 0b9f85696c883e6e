/** A source of time, so that tests control it. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations. */
  monotonicMs(): number;
}
