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
      // Tokens are known when a request ends: what is asked here is whether any are left.
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

  /** Counts the tokens of a request that has ended. */
  spent(key: KeyRecord, tokens: number, nowMs: number): void {
    if (key.policy.tokensPerMinute === undefined) return;
    const counts = this.#countsOf(key.id);
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

function headersOf(unit: string, verdict: LimitVerdict): Record<string, string> {
  return {
    [`x-ratelimit-limit-${unit}`]: String(verdict.limit),
    [`x-ratelimit-remaining-${unit}`]: String(verdict.remaining),
    [`x-ratelimit-reset-${unit}`]: `${Math.ceil(verdict.resetMs / 1_000)}s`,
  };
}
