/**
 * The rate limits of keys: requests and tokens per minute, and concurrent requests.
 *
 * The counts are local to the process. One process serves a store file, so they are complete. A
 * restart forgets the counts of a minute, never money.
 *
 * @module
 */

import {
  admitRequest,
  hasLimits,
  type KeyCounts,
  leaveSlot,
  limitHeaders,
  NO_COUNTS,
  type RemainingLimits,
  remainingLimits,
  reservedTokens,
  reserveTokensOf,
  spendTokens,
} from "../../domain/limits/key_limits.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
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

/** Times of a reservation. */
export interface ReserveOptions {
  readonly nowMs: number;
  readonly admittedAtMs?: number | undefined;
}

/** The limits of all keys, whose counts are this process's own or shared with other instances. */
export interface KeyLimits {
  /**
   * Admits a request, or throws the fault `rate_limit_exceeded`. A refused request takes nothing
   * from any limit, and its `Retry-After` covers all of them.
   */
  admit(key: KeyRecord, nowMs: number): Admitted | Promise<Admitted>;
  /**
   * Reserves tokens for a request, or throws the fault `rate_limit_exceeded`: then the request is
   * no longer counted, if it was admitted at `admittedAtMs`. The output is a guess, so it is cut to
   * the limit; input beyond the whole limit can never be admitted. Returns `undefined` if the key
   * has no such limit.
   */
  reserve(
    key: KeyRecord,
    estimate: TokenEstimate,
    options: ReserveOptions,
  ): TokenReservation | undefined | Promise<TokenReservation>;
  /**
   * Counts the tokens of a call that has ended. The first call of a request that is counted also
   * returns its reservation, and so does a failed request, with 0 tokens.
   */
  spent(key: KeyRecord, tokens: number, nowMs: number, reserved?: TokenReservation): void;
  /**
   * Returns the remaining amounts of the key's limits as OpenAI's `x-ratelimit-*` headers; those
   * for concurrent requests are the gateway's own. Empty if the key has no limits.
   */
  headers(key: KeyRecord, nowMs: number): Readonly<Record<string, string>>;
  /** Returns the key's limits with what remains of them. */
  remaining(key: KeyRecord, nowMs: number): RemainingLimits | Promise<RemainingLimits>;
}

/** The end of a request that occupies no slot. */
export const NOTHING = () => {};

type Minutes = Pick<KeyCounts, "requests" | "tokens">;

/** Counts the requests and tokens of all keys in memory, at once. */
export class Admission implements KeyLimits {
  readonly #minutes = new BoundedMap<string, Minutes>(KEYS_MAX);
  /** Requests in flight, by key: at most as many entries as there are requests. */
  readonly #slots = new Map<string, number>();

  admit({ id, policy }: KeyRecord, nowMs: number): Admitted {
    if (!hasLimits(policy)) return { atMs: nowMs, leave: NOTHING };
    const { counts, atMs, refusal } = admitRequest(this.#countsOf(id), policy, nowMs);
    if (refusal !== undefined) throw refusal;
    this.#set(id, counts);
    return { atMs, leave: policy.concurrentRequests === undefined ? NOTHING : this.#leaving(id) };
  }

  reserve(
    { id, policy }: KeyRecord,
    estimate: TokenEstimate,
    options: ReserveOptions,
  ): TokenReservation | undefined {
    const { tokensPerMinute: limit } = policy;
    if (limit === undefined) return undefined;
    const request = { ...options, policy, estimate, limit };
    const { counts, atMs, refusal } = reserveTokensOf(this.#countsOf(id), request);
    this.#set(id, counts);
    if (refusal !== undefined) throw refusal;
    return { tokens: reservedTokens(estimate, limit), atMs, ended: false };
  }

  spent(key: KeyRecord, tokens: number, nowMs: number, reserved?: TokenReservation): void {
    if (key.policy.tokensPerMinute === undefined) return;
    const back = endReservation(reserved);
    const counts = this.#countsOf(key.id);
    this.#set(key.id, spendTokens(counts, { tokens, reserved: back, nowMs }));
  }

  headers({ id, policy }: KeyRecord, nowMs: number): Readonly<Record<string, string>> {
    return hasLimits(policy) ? limitHeaders(this.#countsOf(id), policy, nowMs) : {};
  }

  remaining({ id, policy }: KeyRecord, nowMs: number): RemainingLimits {
    return remainingLimits(this.#countsOf(id), policy, nowMs);
  }

  #leaving(id: string): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#set(id, leaveSlot(this.#countsOf(id)));
    };
  }

  #countsOf(id: string): KeyCounts {
    const { requests, tokens } = this.#minutes.get(id) ?? NO_COUNTS;
    return { requests, tokens, slots: this.#slots.get(id) ?? 0 };
  }

  #set(id: string, { requests, tokens, slots }: KeyCounts): void {
    this.#minutes.set(id, { requests, tokens });
    if (slots === 0) this.#slots.delete(id);
    else this.#slots.set(id, slots);
  }
}

/** Marks a reservation as given back; returns `undefined` if it was already, or if there is none. */
export function endReservation(
  reserved: TokenReservation | undefined,
): TokenReservation | undefined {
  if (reserved?.ended !== false) return undefined;
  reserved.ended = true;
  return reserved;
}
