/**
 * The limits of one key as decisions: requests and tokens a minute, and concurrent requests. The
 * caller passes the counts and the time.
 *
 * @module
 */

import { ServiceFault } from "../fault.ts";
import type { KeyPolicy } from "../policy/policy.ts";
import type { TokenEstimate } from "../requests/token_estimate.ts";
import {
  correctMinute,
  EMPTY_WINDOW,
  type LimitVerdict,
  minuteNow,
  type MinuteWindow,
  newestMs,
  returnSlot,
  takeFromMinute,
  takeSlot,
} from "./rate_limits.ts";

/** The counts of a key. */
export interface KeyCounts {
  readonly requests: MinuteWindow;
  readonly tokens: MinuteWindow;
  /** Requests in flight. */
  readonly slots: number;
}

/** Counts of a key without requests. */
export const NO_COUNTS: KeyCounts = { requests: EMPTY_WINDOW, tokens: EMPTY_WINDOW, slots: 0 };

/** The limits of a key. */
export type LimitPolicy = Pick<
  KeyPolicy,
  "requestsPerMinute" | "tokensPerMinute" | "concurrentRequests"
>;

/** A decision on a request: the next counts, and when it was counted or why it is refused. */
export interface LimitOutcome {
  readonly counts: KeyCounts;
  /** Time at which it was counted, rounded to a step. */
  readonly atMs: number;
  /** `rate_limit_exceeded`; then the request itself is not counted. */
  readonly refusal?: ServiceFault | undefined;
}

/** True for a key with any limit. */
export function hasLimits(
  { requestsPerMinute, tokensPerMinute, concurrentRequests }: LimitPolicy,
): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined ||
    concurrentRequests !== undefined;
}

/**
 * Admits a request. A refused request takes nothing from any limit, and its `Retry-After` covers all
 * of them.
 */
export function admitRequest(counts: KeyCounts, policy: LimitPolicy, nowMs: number): LimitOutcome {
  const { requestsPerMinute, concurrentRequests } = policy;
  const request = takeRequest(counts, requestsPerMinute, nowMs);
  const slot = concurrentRequests === undefined
    ? undefined
    : takeSlot(counts.slots, concurrentRequests);
  if (slot?.verdict.allowed === false || request?.verdict.allowed === false) {
    const verdicts = [
      [slot?.verdict, "requests at once"],
      [request?.verdict, "requests a minute"],
    ] as const;
    return { counts, atMs: nowMs, refusal: limited(...verdicts) };
  }
  return {
    counts: {
      ...counts,
      requests: request?.state ?? counts.requests,
      slots: slot?.state ?? counts.slots,
    },
    atMs: request === undefined ? nowMs : newestMs(request.state),
  };
}

/** Returns the counts after the end of a request that occupied a slot. */
export function leaveSlot(counts: KeyCounts): KeyCounts {
  return { ...counts, slots: returnSlot(counts.slots) };
}

/** Returns the tokens that are reserved for a request: the output is a guess, cut to the limit. */
export function reservedTokens(
  { inputTokens, outputTokens }: TokenEstimate,
  limit: number,
): number {
  return Math.min(limit, inputTokens + outputTokens);
}

/**
 * Reserves tokens. Refused, the request is no longer counted, if it was admitted at `admittedAtMs`.
 * Input beyond the whole limit can never be admitted.
 */
export function reserveTokensOf(
  counts: KeyCounts,
  { policy, estimate, limit, nowMs, admittedAtMs }: {
    readonly policy: LimitPolicy;
    readonly estimate: TokenEstimate;
    readonly limit: number;
    readonly nowMs: number;
    readonly admittedAtMs?: number | undefined;
  },
): LimitOutcome {
  const { inputTokens } = estimate;
  const amount = reservedTokens(estimate, limit);
  const { state, verdict } = takeFromMinute(counts.tokens, { amount, limit, nowMs });
  const fits = inputTokens <= limit;
  if (fits && verdict.allowed) {
    return { counts: { ...counts, tokens: state }, atMs: newestMs(state) };
  }
  const back = { delta: -1, nowMs, countedAtMs: admittedAtMs };
  const after = admittedAtMs === undefined
    ? counts
    : { ...counts, requests: correctMinute(counts.requests, back) };
  const request = takeRequest(after, policy.requestsPerMinute, nowMs);
  const refusal = fits
    ? limited([verdict, "tokens a minute"], [request?.verdict, "requests a minute"])
    : tooLarge(inputTokens, limit);
  return { counts: after, atMs: nowMs, refusal };
}

/** Counts the tokens of a call that has ended, in place of those reserved. */
export function spendTokens(
  counts: KeyCounts,
  { tokens, reserved, nowMs }: {
    readonly tokens: number;
    readonly reserved?: { readonly tokens: number; readonly atMs: number } | undefined;
    readonly nowMs: number;
  },
): KeyCounts {
  let window = counts.tokens;
  if (reserved !== undefined) {
    const { tokens: held, atMs: countedAtMs } = reserved;
    window = correctMinute(window, { delta: -held, nowMs, countedAtMs });
  }
  return { ...counts, tokens: correctMinute(window, { delta: tokens, nowMs }) };
}

/**
 * Returns the remaining amounts of a key's limits as OpenAI's `x-ratelimit-*` headers; those for
 * concurrent requests are the gateway's own. Empty if the key has no limits.
 */
export function limitHeaders(
  counts: KeyCounts,
  policy: LimitPolicy,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = policy;
  const headers: Record<string, string> = {};
  const minute = (unit: "requests" | "tokens", limit: number | undefined) => {
    if (limit === undefined) return;
    const { remaining, resetMs } = minuteNow(counts[unit], { limit, nowMs });
    headers[`x-ratelimit-limit-${unit}`] = String(limit);
    headers[`x-ratelimit-remaining-${unit}`] = String(remaining);
    headers[`x-ratelimit-reset-${unit}`] = durationText(resetMs);
  };
  minute("requests", requestsPerMinute);
  minute("tokens", tokensPerMinute);
  if (concurrentRequests !== undefined) {
    const remaining = Math.max(0, concurrentRequests - counts.slots);
    headers["x-ratelimit-limit-concurrent-requests"] = String(concurrentRequests);
    headers["x-ratelimit-remaining-concurrent-requests"] = String(remaining);
  }
  return headers;
}

/** A limit, and the part of it that remains now. */
export interface RemainingLimit {
  readonly limit: number;
  readonly remaining: number;
}

/** The limits of a key with what remains of them; those that it does not have are absent. */
export type RemainingLimits = { readonly [Name in keyof LimitPolicy]: RemainingLimit };

/** Returns the limits of a key with what remains of them. */
export function remainingLimits(
  counts: KeyCounts,
  policy: LimitPolicy,
  nowMs: number,
): RemainingLimits {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = policy;
  const minute = (unit: "requests" | "tokens", limit: number) => ({
    limit,
    remaining: minuteNow(counts[unit], { limit, nowMs }).remaining,
  });
  return {
    ...requestsPerMinute !== undefined && {
      requestsPerMinute: minute("requests", requestsPerMinute),
    },
    ...tokensPerMinute !== undefined && { tokensPerMinute: minute("tokens", tokensPerMinute) },
    ...concurrentRequests !== undefined && {
      concurrentRequests: {
        limit: concurrentRequests,
        remaining: Math.max(0, concurrentRequests - counts.slots),
      },
    },
  };
}

type Verdicts = readonly (readonly [verdict: LimitVerdict | undefined, unit: string])[];

function takeRequest({ requests }: KeyCounts, limit: number | undefined, nowMs: number) {
  return limit === undefined ? undefined : takeFromMinute(requests, { amount: 1, limit, nowMs });
}

/** Returns the refusal of the limit with the longest wait. */
function limited(...verdicts: Verdicts): ServiceFault {
  let longest = { limit: 0, unit: "", retryAfterMs: 0 };
  for (const [verdict, unit] of verdicts) {
    if (verdict === undefined || verdict.retryAfterMs <= longest.retryAfterMs) continue;
    longest = { ...verdict, unit };
  }
  const { limit, unit, retryAfterMs } = longest;
  return new ServiceFault("rate_limit_exceeded", {
    message: `The key is limited to ${limit} ${unit}; wait as long as Retry-After says`,
    retryAfterMs,
  });
}

function tooLarge(inputTokens: number, limit: number): ServiceFault {
  return new ServiceFault("rate_limit_exceeded", {
    message: `The request's input has about ${inputTokens} tokens, more than the key's limit of ` +
      `${limit} per minute: waiting cannot help, send a shorter request`,
    retryAfterMs: Infinity,
  });
}

/** Formats a time as OpenAI does: `0s`, `7s`, `1m5s`. Rounds up to the second. */
function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}
