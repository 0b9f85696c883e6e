/**
 * Health of one model at its upstream, as a value: breaker and cooldown.
 *
 * @module
 */

import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { TargetState } from "./plan.ts";

/** What is remembered of a target. */
export interface Health {
  /** Failures in a row. */
  readonly failures: number;
  /** Not to be used before this time. */
  readonly coolUntilMs: number;
  /** Why it cools down. */
  readonly reason: string;
  /** It does so since its provider limits the rate. */
  readonly rateLimited: boolean;
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
  /** HTTP status of the upstream's answer, where there was one. */
  readonly status?: number | undefined;
  /** With `ok`: the answer has only begun. It ends a probe, and forgives no failure yet. */
  readonly begun?: boolean | undefined;
}

/** A target of which nothing is known. */
export const UNOBSERVED: Health = {
  failures: 0,
  coolUntilMs: 0,
  reason: "",
  rateLimited: false,
  probing: false,
  latencyMs: 0,
};
/** Failures in a row that open the breaker. */
export const BREAKER_FAILURES = 3;
/** First cooldown, in milliseconds; each further failure doubles it. */
export const BASE_COOLDOWN_MS = 1_000;
/** Longest cooldown that grows by itself. */
export const MAX_COOLDOWN_MS = 60_000;
/** Longest cooldown that an upstream's `Retry-After` can ask for. */
export const MAX_RETRY_AFTER_MS = 300_000;
/** Cooldown after the upstream refused the gateway's own credentials. */
export const CREDENTIALS_COOLDOWN_MS = 300_000;
/** Longest cooldown there is. One that would last longer is of a clock that has since gone back. */
export const LONGEST_COOLDOWN_MS = Math.max(
  MAX_COOLDOWN_MS,
  MAX_RETRY_AFTER_MS,
  CREDENTIALS_COOLDOWN_MS,
);
/** A probe that was never heard of again stands in the way for this long. */
export const PROBE_TIMEOUT_MS = 180_000;
/** While a probe is under way, ask again after this. */
export const PROBE_RETRY_MS = 1_000;
/** Weight of the newest latency in the moving average. */
export const LATENCY_WEIGHT = 0.2;

/** Whether a target may be used, and what is known of its latency. */
export function availability(remembered: Health, nowMs: number): TargetState {
  const health = asOf(remembered, nowMs);
  const known = {
    latencyMs: health.latencyMs === 0 ? undefined : health.latencyMs,
    ...health.failures === 0 ? {} : { failures: health.failures },
  };
  const limited = health.rateLimited ? { rateLimited: true } : {};
  if (nowMs < health.coolUntilMs) {
    return {
      available: false,
      reason: health.reason,
      retryAfterMs: health.coolUntilMs - nowMs,
      ...limited,
      ...known,
    };
  }
  if (health.probing && nowMs < health.coolUntilMs + PROBE_TIMEOUT_MS) {
    const reason = `${health.reason}; a probe is under way`;
    return { available: false, reason, retryAfterMs: PROBE_RETRY_MS, ...limited, ...known };
  }
  return { available: true, ...known };
}

/** Call before an attempt: after a cooldown the first attempt is the probe that others wait for. */
export function beginAttempt(remembered: Health, nowMs: number): Health {
  const health = asOf(remembered, nowMs);
  const recovering = health.coolUntilMs > 0 && nowMs >= health.coolUntilMs;
  return recovering ? { ...health, probing: true, coolUntilMs: nowMs } : health;
}

/** What an attempt's end teaches. Those begun before a cooldown, and ending in it, neither lengthen nor end it. */
export function observe(remembered: Health, observation: Observation, nowMs: number): Health {
  const health = asOf(remembered, nowMs);
  const { outcome } = observation;
  if (outcome === "cancelled" || outcome === "refused_input") return { ...health, probing: false };
  const cooling = nowMs < health.coolUntilMs;
  if (outcome === "ok") {
    const latencyMs = health.latencyMs === 0
      ? observation.ms
      : health.latencyMs + LATENCY_WEIGHT * (observation.ms - health.latencyMs);
    if (cooling) return { ...health, latencyMs };
    const failures = observation.begun === true ? health.failures : 0;
    return { ...UNOBSERVED, failures, latencyMs };
  }

  const failures = cooling ? health.failures : health.failures + 1;
  const cooldownMs = cooldownOf(failures, health, observation);
  const coolUntilMs = cooldownMs === 0 ? health.coolUntilMs : nowMs + cooldownMs;
  if (coolUntilMs <= health.coolUntilMs) return { ...health, failures };
  return {
    ...health,
    failures,
    coolUntilMs,
    probing: false,
    reason: reasonOf(failures, observation),
    rateLimited: outcome === "rate_limited",
  };
}

/**
 * Whether the upstream refuses the gateway's own account, whatever it is asked. A 403 is not that: it
 * may be about one model or one prompt.
 */
export function refusesAccount({ outcome, status }: Observation): boolean {
  return outcome === "refused_credentials" && status !== 403;
}

/** What is remembered, as of now: a cooldown further ahead than any can be counts as passed. */
function asOf(health: Health, nowMs: number): Health {
  if (health.coolUntilMs - nowMs <= LONGEST_COOLDOWN_MS) return health;
  return { ...health, coolUntilMs: nowMs, probing: false };
}

function cooldownOf(failures: number, health: Health, observation: Observation): number {
  const asked = Math.min(MAX_RETRY_AFTER_MS, observation.retryAfterMs ?? 0);
  if (refusesAccount(observation)) {
    return Math.max(asked, CREDENTIALS_COOLDOWN_MS);
  }
  // A 429 is obeyed at once; of other failures it takes a row, unless it was the probe that failed.
  const limited = observation.outcome === "rate_limited";
  const opens = limited || health.probing || failures >= BREAKER_FAILURES;
  const doublings = Math.max(0, failures - (limited ? 1 : BREAKER_FAILURES));
  const grown = Math.min(MAX_COOLDOWN_MS, BASE_COOLDOWN_MS * 2 ** Math.min(doublings, 30));
  return asked > 0 ? asked : opens ? grown : 0;
}

function reasonOf(failures: number, observation: Observation): string {
  const { outcome } = observation;
  if (outcome === "rate_limited") return "cooling down: the upstream limits the rate";
  if (refusesAccount(observation)) {
    return "cooling down: the upstream refused the gateway's credentials";
  }
  const what = outcome.replaceAll("_", " ");
  return `cooling down after ${failures} ${failures === 1 ? "failure" : "failures"}, last: ${what}`;
}
