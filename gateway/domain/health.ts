/**
 * Health of one model at its upstream, as a value: breaker and cooldown.
 *
 * @module
 */

import type { AttemptOutcome } from "@svc/sdk/protocol";

/** What is remembered of a target. */
export interface Health {
  /** Failures in a row. */
  readonly failures: number;
  /** Not to be used before this time. */
  readonly coolUntilMs: number;
  /** Why it cools down. */
  readonly reason: string;
  /** A probe is under way: after a cooldown one request goes first. */
  readonly probing: boolean;
  /** Moving average of time to first byte, in milliseconds; 0 where nothing was observed. */
  readonly latencyMs: number;
}

/** One observed attempt. */
export interface Observation {
  readonly outcome: AttemptOutcome;
  readonly ms: number;
  readonly retryAfterMs?: number | undefined;
}
