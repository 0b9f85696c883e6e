/** Tokens that count against a key's minute while a request is in flight. */
export interface TokenReservation {
  readonly tokens: number;
  /** Time at which they were counted, in Unix milliseconds. */
  readonly atMs: number;
  /** True when the reservation was given back and counted tokens have taken its place. */
  ended: boolean;
}
