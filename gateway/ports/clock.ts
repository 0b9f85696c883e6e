/** Time, so that decisions can be tested at any. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations. */
  monotonicMs(): number;
}
