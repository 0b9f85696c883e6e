/**
 * The rate limits of keys: requests and tokens per minute, and concurrent requests.
 *
 * The counts are local to the process. One process serves a store, so they are complete. A restart
 * forgets the counts of a minute, never money.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
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
} from "../../domain/limits/rate_limits.ts";
import type { TokenEstimate } from "../../domain/requests/token_estimate.ts";
import type { TokenReservation } from "../request/token_reservation.ts";
import { BoundedMap } from "../../system/bounded_map.ts";

/** Maximum number of keys whose counts are kept in memory. */
const KEYS_MAX = 20_000;

/** A request that was admitted. */
export interface Admitted {
  /** Time at which it was counted, in Unix milliseconds, rounded to a step of the limits. */
  readonly atMs: number;
  /** Ends the request. Further calls do nothing. */
  leave(): void;
}

/** The end of a request that occupies no slot. */
const NOTHING = () => {};

interface Minutes {
  requests: MinuteWindow;
  tokens: MinuteWindow;
}

/** Counts the requests and tokens of all keys. */
export class Admission {
  readonly #minutes = new BoundedMap<string, Minutes>(KEYS_MAX);
  /** Requests in flight, by key: at most as many entries as there are requests. */
  readonly #slots = new Map<string, number>();

  /**
   * Admits a request, or throws the fault `rate_limit_exceeded`. A refused request takes nothing
   * from any limit, and its `Retry-After` covers all of them.
   */
  admit({ id, policy }: KeyRecord, nowMs: number): Admitted {
    const { requestsPerMinute, concurrentRequests } = policy;
    const minutes = requestsPerMinute === undefined ? undefined : this.#minutesOf(id);
    const request = minutes && takeRequest(minutes, requestsPerMinute, nowMs);
    const slot = concurrentRequests === undefined
      ? undefined
      : takeSlot(this.#slots.get(id) ?? 0, concurrentRequests);
    refuse([slot?.verdict, "requests at once"], [request?.verdict, "requests a minute"]);
    if (minutes !== undefined && request !== undefined) minutes.requests = request.state;
    if (slot !== undefined) this.#slots.set(id, slot.state);
    const atMs = request === undefined ? nowMs : newestMs(request.state);
    if (slot === undefined) return { atMs, leave: NOTHING };
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      const slots = returnSlot(this.#slots.get(id) ?? 0);
      if (slots === 0) this.#slots.delete(id);
      else this.#slots.set(id, slots);
    };
    return { atMs, leave };
  }

  /**
   * Reserves tokens for a request, or throws the fault `rate_limit_exceeded`: then the request is
   * no longer counted, if it was admitted at `admittedAtMs`. The output is a guess, so it is cut to
   * the limit; input beyond the whole limit can never be admitted. Returns `undefined` if the key
   * has no such limit.
   */
  reserve(
    { id, policy }: KeyRecord,
    estimate: TokenEstimate,
    { nowMs, admittedAtMs }: { readonly nowMs: number; readonly admittedAtMs?: number | undefined },
  ): TokenReservation | undefined {
    const { tokensPerMinute: limit, requestsPerMinute } = policy;
    if (limit === undefined) return undefined;
    const { inputTokens, outputTokens } = estimate;
    const tokens = Math.min(limit, inputTokens + outputTokens);
    const minutes = this.#minutesOf(id);
    const { state, verdict } = takeFromMinute(minutes.tokens, { amount: tokens, limit, nowMs });
    const fits = inputTokens <= limit;
    if (fits && verdict.allowed) {
      minutes.tokens = state;
      return { tokens, atMs: newestMs(state), ended: false };
    }
    if (admittedAtMs !== undefined) {
      const back = { delta: -1, nowMs, countedAtMs: admittedAtMs };
      minutes.requests = correctMinute(minutes.requests, back);
    }
    if (!fits) throw tooLarge(inputTokens, limit);
    const request = takeRequest(minutes, requestsPerMinute, nowMs);
    throw limited([verdict, "tokens a minute"], [request?.verdict, "requests a minute"]);
  }

  /**
   * Counts the tokens of a call that has ended. The first call of a request that is counted also
   * returns its reservation, and so does a failed request, with 0 tokens.
   */
  spent(key: KeyRecord, tokens: number, nowMs: number, reserved?: TokenReservation): void {
    if (key.policy.tokensPerMinute === undefined) return;
    const minutes = this.#minutesOf(key.id);
    if (reserved?.ended === false) {
      reserved.ended = true;
      const { tokens: held, atMs: countedAtMs } = reserved;
      minutes.tokens = correctMinute(minutes.tokens, { delta: -held, nowMs, countedAtMs });
    }
    minutes.tokens = correctMinute(minutes.tokens, { delta: tokens, nowMs });
  }

  /**
   * Returns the remaining amounts of the key's limits as OpenAI's `x-ratelimit-*` headers; those
   * for concurrent requests are the gateway's own. Empty if the key has no limits.
   */
  headers({ id, policy }: KeyRecord, nowMs: number): Readonly<Record<string, string>> {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = policy;
    const headers: Record<string, string> = {};
    const minute = (unit: "requests" | "tokens", limit: number | undefined) => {
      if (limit === undefined) return;
      const { remaining, resetMs } = minuteNow(this.#minutesOf(id)[unit], { limit, nowMs });
      headers[`x-ratelimit-limit-${unit}`] = String(limit);
      headers[`x-ratelimit-remaining-${unit}`] = String(remaining);
      headers[`x-ratelimit-reset-${unit}`] = durationText(resetMs);
    };
    minute("requests", requestsPerMinute);
    minute("tokens", tokensPerMinute);
    if (concurrentRequests !== undefined) {
      const remaining = Math.max(0, concurrentRequests - (this.#slots.get(id) ?? 0));
      headers["x-ratelimit-limit-concurrent-requests"] = String(concurrentRequests);
      headers["x-ratelimit-remaining-concurrent-requests"] = String(remaining);
    }
    return headers;
  }

  #minutesOf(keyId: string): Minutes {
    let minutes = this.#minutes.get(keyId);
    if (minutes === undefined) {
      minutes = { requests: EMPTY_WINDOW, tokens: EMPTY_WINDOW };
      this.#minutes.set(keyId, minutes);
    }
    return minutes;
  }
}

type Verdicts = readonly (readonly [verdict: LimitVerdict | undefined, unit: string])[];

function takeRequest({ requests }: Minutes, limit: number | undefined, nowMs: number) {
  return limit === undefined ? undefined : takeFromMinute(requests, { amount: 1, limit, nowMs });
}

function refuse(...verdicts: Verdicts): void {
  if (verdicts.some(([verdict]) => verdict?.allowed === false)) throw limited(...verdicts);
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
