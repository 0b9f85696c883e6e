/**
 * Whether a key may make another request now: requests and tokens a minute, requests at once.
 *
 * The counts are the process's own: one process serves a store, so they are the whole truth. A
 * restart forgets a minute's counts, never money.
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
import { BoundedMap } from "../../system/bounded_map.ts";

/** Keys whose minutes are kept. */
const KEYS_MAX = 20_000;

/** A request was let in. */
export interface Admitted {
  /** When it was counted as one, in Unix milliseconds: in steps of the limits. */
  readonly atMs: number;
  /** The request has ended. Does nothing when called again. */
  leave(): void;
}

/** Tokens set aside for a request under way. */
export interface Reservation {
  readonly tokens: number;
  /** When they were counted, in Unix milliseconds. */
  readonly atMs: number;
  /** It was given back, so that what is counted takes its place. */
  ended: boolean;
}

interface Minutes {
  requests: MinuteWindow;
  tokens: MinuteWindow;
}

/** Counts what keys do. */
export class Admission {
  readonly #minutes = new BoundedMap<string, Minutes>(KEYS_MAX);
  /** Requests under way, by key: as many entries as there are requests at most. */
  readonly #slots = new Map<string, number>();

  /**
   * Lets a request in, or throws the fault `rate_limit_exceeded`. Whichever limit refuses it, it takes
   * nothing from any, and is told to wait for all.
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
    let left = slot === undefined;
    return {
      atMs: request === undefined ? nowMs : newestMs(request.state),
      leave: () => {
        if (left) return;
        left = true;
        const slots = returnSlot(this.#slots.get(id) ?? 0);
        if (slots === 0) this.#slots.delete(id);
        else this.#slots.set(id, slots);
      },
    };
  }

  /**
   * Sets tokens aside for a request, or throws the fault `rate_limit_exceeded`: then the request does
   * not count as one, if it was let in at `admittedAtMs`. Output is a guess, so it is cut to what the
   * limit allows; input alone beyond the whole limit can never be let in. Returns nothing where the
   * key has no such limit.
   */
  reserve(
    { id, policy }: KeyRecord,
    estimate: TokenEstimate,
    { nowMs, admittedAtMs }: { readonly nowMs: number; readonly admittedAtMs?: number | undefined },
  ): Reservation | undefined {
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
   * Counts the tokens of a call that has ended. A reservation is given back with the first call of its
   * request that is counted; with 0 tokens, where the request failed, that is all that happens.
   */
  spent(key: KeyRecord, tokens: number, nowMs: number, reserved?: Reservation): void {
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
   * What the key's limits leave now, as OpenAI's `x-ratelimit-*` headers; those for requests at once
   * are our own. Empty where the key has no limits.
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
      const left = Math.max(0, concurrentRequests - (this.#slots.get(id) ?? 0));
      headers["x-ratelimit-limit-concurrent-requests"] = String(concurrentRequests);
      headers["x-ratelimit-remaining-concurrent-requests"] = String(left);
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

/** The refusal: told is the limit that takes longest. */
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
    message: `The request's input comes to some ${inputTokens} tokens, more than the ${limit} a ` +
      `minute that the key is limited to: waiting cannot help, send a shorter one`,
    retryAfterMs: Infinity,
  });
}

/** A time as OpenAI writes it: `0s`, `7s`, `1m5s`. Rounded up to the second. */
function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}
