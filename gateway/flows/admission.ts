/**
 * Whether a key may make another request now: requests and tokens a minute, requests at once.
 *
 * The counts are the process's own: one process serves a store, so they are the whole truth. A
 * restart forgets a minute's counts, never money.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import type { KeyRecord } from "../domain/key.ts";
import {
  correctMinute,
  EMPTY_WINDOW,
  type LimitVerdict,
  type MinuteWindow,
  returnSlot,
  takeFromMinute,
  takeSlot,
} from "../domain/limits.ts";
import type { TokenEstimate } from "../domain/token_estimate.ts";
import { BoundedMap } from "./bounded_map.ts";

/** Keys whose counts are kept. */
const KEYS_MAX = 20_000;

/** A request was let in. */
export interface Admitted {
  /** `x-ratelimit-*`, where the key has limits. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request has ended. Does nothing when called again. */
  leave(): void;
}

/** Tokens set aside for a request under way. */
export interface Reservation {
  readonly tokens: number;
  readonly atMs: number;
  /** It was given back, so that what is counted takes its place. */
  ended: boolean;
}

interface KeyCounts {
  requests: MinuteWindow;
  tokens: MinuteWindow;
  slots: number;
}

const NO_LIMITS: Admitted = { headers: {}, leave: () => {} };

/** Counts what keys do. */
export class Admission {
  readonly #counts = new BoundedMap<string, KeyCounts>(KEYS_MAX);

  /** Lets a request in, or throws the fault `rate_limit_exceeded`. */
  admit(key: KeyRecord, nowMs: number): Admitted {
    const { requestsPerMinute, tokensPerMinute, concurrentRequests } = key.policy;
    if (
      requestsPerMinute === undefined && tokensPerMinute === undefined &&
      concurrentRequests === undefined
    ) {
      return NO_LIMITS;
    }
    const counts = this.#countsOf(key.id);
    const headers: Record<string, string> = {};
    if (tokensPerMinute !== undefined) {
      // What the request comes to is not known yet: what is asked here is whether any are left.
      const { verdict } = takeFromMinute(counts.tokens, {
        amount: 1,
        limit: tokensPerMinute,
        nowMs,
      });
      refuse(verdict, "tokens");
      Object.assign(headers, headersOf("tokens", { ...verdict, remaining: verdict.remaining + 1 }));
    }
    let slots = counts.slots;
    if (concurrentRequests !== undefined) {
      const { state, verdict } = takeSlot(counts.slots, concurrentRequests);
      refuse(verdict);
      slots = state;
    }
    if (requestsPerMinute !== undefined) {
      const { state, verdict } = takeFromMinute(counts.requests, {
        amount: 1,
        limit: requestsPerMinute,
        nowMs,
      });
      refuse(verdict, "requests");
      counts.requests = state;
      Object.assign(headers, headersOf("requests", verdict));
    }
    const takesSlot = slots !== counts.slots;
    counts.slots = slots;
    let left = !takesSlot;
    return {
      headers,
      leave: () => {
        if (left) return;
        left = true;
        counts.slots = returnSlot(counts.slots);
      },
    };
  }

  /**
   * Sets tokens aside for a request, or throws the fault `rate_limit_exceeded`. Output is a guess, so
   * it is cut to what the limit allows; input alone beyond the whole limit can never be let in.
   * Returns nothing where the key has no such limit.
   */
  reserve(key: KeyRecord, estimate: TokenEstimate, nowMs: number): Reservation | undefined {
    const { tokensPerMinute: limit } = key.policy;
    if (limit === undefined) return undefined;
    const { inputTokens, outputTokens } = estimate;
    if (inputTokens > limit) throw tooLarge(inputTokens, limit);
    const tokens = Math.min(limit, inputTokens + outputTokens);
    const counts = this.#countsOf(key.id);
    const { state, verdict } = takeFromMinute(counts.tokens, { amount: tokens, limit, nowMs });
    refuse(verdict, "tokens");
    counts.tokens = state;
    return { tokens, atMs: nowMs, ended: false };
  }

  /**
   * Counts the tokens of a call that has ended. A reservation is given back with the first call of its
   * request that is counted; with 0 tokens, where the request failed, that is all that happens.
   */
  spent(key: KeyRecord, tokens: number, nowMs: number, reserved?: Reservation): void {
    if (key.policy.tokensPerMinute === undefined) return;
    const counts = this.#countsOf(key.id);
    if (reserved?.ended === false) {
      reserved.ended = true;
      const { tokens: held, atMs: countedAtMs } = reserved;
      counts.tokens = correctMinute(counts.tokens, { delta: -held, nowMs, countedAtMs });
    }
    counts.tokens = correctMinute(counts.tokens, { delta: tokens, nowMs });
  }

  #countsOf(keyId: string): KeyCounts {
    let counts = this.#counts.get(keyId);
    if (counts === undefined) {
      counts = { requests: EMPTY_WINDOW, tokens: EMPTY_WINDOW, slots: 0 };
      this.#counts.set(keyId, counts);
    }
    return counts;
  }
}

function refuse(verdict: LimitVerdict, perMinute?: "requests" | "tokens"): void {
  if (verdict.allowed) return;
  const unit = perMinute === undefined ? "requests at once" : `${perMinute} a minute`;
  throw new ServiceFault("rate_limit_exceeded", {
    message: `The key is limited to ${verdict.limit} ${unit}; wait as long as Retry-After says`,
    retryAfterMs: verdict.retryAfterMs,
    headers: perMinute === undefined ? {} : headersOf(perMinute, verdict),
  });
}

function tooLarge(inputTokens: number, limit: number): ServiceFault {
  return new ServiceFault("rate_limit_exceeded", {
    message: `The request's input comes to some ${inputTokens} tokens, more than the ${limit} a ` +
      `minute that the key is limited to: waiting cannot help, send a shorter one`,
    headers: { "x-should-retry": "false" },
  });
}

function headersOf(unit: string, verdict: LimitVerdict): Record<string, string> {
  return {
    [`x-ratelimit-limit-${unit}`]: String(verdict.limit),
    [`x-ratelimit-remaining-${unit}`]: String(verdict.remaining),
    [`x-ratelimit-reset-${unit}`]: `${Math.ceil(verdict.resetMs / 1_000)}s`,
  };
}
