/**
 * Health of one model at its upstream, as a value: circuit breaker and cooldown.
 *
 * @module
 */

import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { TargetState } from "./plan.ts";

/** The remembered state of a target. */
export interface Health {
  /** Failures in a row. */
  readonly failures: number;
  /** Time before which the target is not used. */
  readonly coolUntilMs: number;
  /** Reason for the cooldown. */
  readonly reason: string;
  /** True when the cooldown follows the provider's rate limit. */
  readonly rateLimited: boolean;
  /** True while a probe is in flight: after a cooldown one request goes first. */
  readonly probing: boolean;
  /** Moving average of time to first byte, in milliseconds; 0 without observations. */
  readonly latencyMs: number;
}

/** One observed attempt. */
export interface Observation {
  readonly outcome: AttemptOutcome;
  readonly ms: number;
  readonly retryAfterMs?: number | undefined;
  /** HTTP status of the upstream's response, if there was one. */
  readonly status?: number | undefined;
  /** With `ok`: the response has only begun. This ends a probe and resets no failures yet. */
  readonly hasBegun?: boolean | undefined;
}

/** State of a target without observations. */
export const UNOBSERVED: Health = {
  failures: 0,
  coolUntilMs: 0,
  reason: "",
  rateLimited: false,
  probing: false,
  latencyMs: 0,
};
/** Consecutive failures that open the breaker. */
export const BREAKER_FAILURES = 3;
/** First cooldown, in milliseconds; each further failure doubles it. */
export const BASE_COOLDOWN_MS = 1_000;
/** Maximum cooldown reached by doubling. */
export const MAX_COOLDOWN_MS = 60_000;
/** Maximum cooldown that an upstream's `Retry-After` can request. */
export const MAX_RETRY_AFTER_MS = 300_000;
/** Cooldown after the upstream refused the gateway's credentials. */
export const CREDENTIALS_COOLDOWN_MS = 300_000;
/** Maximum cooldown. A longer one comes from a clock that has since gone back. */
export const LONGEST_COOLDOWN_MS = Math.max(
  MAX_COOLDOWN_MS,
  MAX_RETRY_AFTER_MS,
  CREDENTIALS_COOLDOWN_MS,
);
/** Time after which a probe without an outcome no longer blocks another, in milliseconds. */
export const PROBE_TIMEOUT_MS = 180_000;
/** Retry time while a probe is in flight. */
export const PROBE_RETRY_MS = 1_000;
/** Weight of the newest latency in the moving average. */
export const LATENCY_WEIGHT = 0.2;

/** Returns the availability of a target and its observed latency. */
export function availability(remembered: Health, nowMs: number): TargetState {
  const health = asOf(remembered, nowMs);
  const latency = {
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
      ...latency,
    };
  }
  if (health.probing && nowMs < health.coolUntilMs + PROBE_TIMEOUT_MS) {
    const reason = `${health.reason}; a probe is in flight`;
    return { available: false, reason, retryAfterMs: PROBE_RETRY_MS, ...limited, ...latency };
  }
  return { available: true, ...latency };
}

/** Call before an attempt: after a cooldown the first attempt is the probe that others wait for. */
export function beginAttempt(remembered: Health, nowMs: number): Health {
  const health = asOf(remembered, nowMs);
  const recovering = health.coolUntilMs > 0 && nowMs >= health.coolUntilMs;
  return recovering ? { ...health, probing: true, coolUntilMs: nowMs } : health;
}

/**
 * Returns the state after an attempt. Attempts that began before a cooldown and end within it
 * neither extend nor end it.
 */
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
    const failures = observation.hasBegun === true ? health.failures : 0;
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
 * True when the upstream refuses the gateway's account for all requests. A 403 may concern one
 * model or one prompt and does not count.
 */
export function refusesAccount({ outcome, status }: Observation): boolean {
  return outcome === "refused_credentials" && status !== 403;
}

/** Returns the state at the present time: a cooldown beyond the maximum counts as past. */
function asOf(health: Health, nowMs: number): Health {
  if (health.coolUntilMs - nowMs <= LONGEST_COOLDOWN_MS) return health;
  return { ...health, coolUntilMs: nowMs, probing: false };
}

function cooldownOf(failures: number, health: Health, observation: Observation): number {
  const requestedMs = Math.min(MAX_RETRY_AFTER_MS, observation.retryAfterMs ?? 0);
  if (refusesAccount(observation)) return Math.max(requestedMs, CREDENTIALS_COOLDOWN_MS);
  // A 429 takes effect at once; other failures need a series, unless the probe failed.
  const limited = observation.outcome === "rate_limited";
  const opens = limited || health.probing || failures >= BREAKER_FAILURES;
  const doublings = Math.max(0, failures - (limited ? 1 : BREAKER_FAILURES));
  const grown = Math.min(MAX_COOLDOWN_MS, BASE_COOLDOWN_MS * 2 ** Math.min(doublings, 30));
  return requestedMs > 0 ? requestedMs : opens ? grown : 0;
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
