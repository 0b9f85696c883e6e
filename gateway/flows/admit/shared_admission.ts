/**
 * The rate limits of keys at several instances: each decision is made on the counts of all of them.
 *
 * @module
 */

import {
  admitRequest,
  hasLimits,
  type KeyCounts,
  leaveSlot,
  limitHeaders,
  type LimitOutcome,
  NO_COUNTS,
  type RemainingLimits,
  remainingLimits,
  reservedTokens,
  reserveTokensOf,
  spendTokens,
} from "../../domain/limits/key_limits.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { TokenEstimate } from "../../domain/requests/token_estimate.ts";
import type { CountsDecision, SharedCounts } from "../../ports/shared_counts.ts";
import { BoundedMap } from "../../system/bounded_map.ts";
import type { TokenReservation } from "../request/token_reservation.ts";
import {
  type Admitted,
  endReservation,
  type KeyLimits,
  NOTHING,
  type ReserveOptions,
} from "./admission.ts";

/** Maximum number of keys whose counts are kept for headers. */
const SEEN_MAX = 20_000;
/**
 * Time after which a refused slot is asked for once more, in milliseconds: another instance may just
 * have ended a request, and its caller may ask here before that is stored.
 */
const SECOND_LOOK_MS = 100;

/** The counts of a key as they were last seen. */
interface Seen {
  readonly counts: KeyCounts;
  /** The store's clock less this instance's, in milliseconds. */
  readonly aheadMs: number;
}

/** Limits whose counts are shared. A key without limits is let in at once. */
export class SharedAdmission implements KeyLimits {
  readonly #shared: SharedCounts;
  readonly #seen = new BoundedMap<string, Seen>(SEEN_MAX);

  constructor(shared: SharedCounts) {
    this.#shared = shared;
  }

  admit(key: KeyRecord, nowMs: number): Admitted | Promise<Admitted> {
    return hasLimits(key.policy) ? this.#admit(key, nowMs) : { atMs: nowMs, leave: NOTHING };
  }

  reserve(
    key: KeyRecord,
    estimate: TokenEstimate,
    options: ReserveOptions,
  ): undefined | Promise<TokenReservation> {
    const { tokensPerMinute: limit } = key.policy;
    return limit === undefined ? undefined : this.#reserve(key, { ...options, estimate, limit });
  }

  spent(key: KeyRecord, tokens: number, atMs: number, reserved?: TokenReservation): void {
    if (key.policy.tokensPerMinute === undefined) return;
    const back = endReservation(reserved);
    this.#correct(key.id, atMs, (counts, nowMs) => (
      spendTokens(counts, { tokens, reserved: back, nowMs })
    ));
  }

  headers({ id, policy }: KeyRecord, nowMs: number): Readonly<Record<string, string>> {
    if (!hasLimits(policy)) return {};
    const { counts, aheadMs } = this.#seen.get(id) ?? { counts: NO_COUNTS, aheadMs: 0 };
    return limitHeaders(counts, policy, nowMs + aheadMs);
  }

  remaining({ id, policy }: KeyRecord): RemainingLimits | Promise<RemainingLimits> {
    if (!hasLimits(policy)) return {};
    return this.#shared.change(id, (counts, storeMs) => ({
      counts,
      result: remainingLimits(counts, policy, storeMs),
    }));
  }

  async #admit(key: KeyRecord, nowMs: number): Promise<Admitted> {
    const { id, policy } = key;
    const admit = () =>
      this.#change(key, nowMs, (counts, storeMs) => admitRequest(counts, policy, storeMs));
    let outcome = await admit();
    const { concurrentRequests } = policy;
    const isFull = concurrentRequests !== undefined && outcome.counts.slots >= concurrentRequests;
    if (outcome.refusal !== undefined && isFull) {
      await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
      outcome = await admit();
    }
    if (outcome.refusal !== undefined) throw outcome.refusal;
    if (concurrentRequests === undefined) return { atMs: outcome.atMs, leave: NOTHING };
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#correct(id, nowMs, leaveSlot);
    };
    return { atMs: outcome.atMs, leave };
  }

  async #reserve(
    key: KeyRecord,
    { estimate, limit, nowMs, admittedAtMs }: ReserveOptions & {
      readonly estimate: TokenEstimate;
      readonly limit: number;
    },
  ): Promise<TokenReservation> {
    const { policy } = key;
    const { atMs, refusal } = await this.#change(key, nowMs, (counts, storeMs) => (
      reserveTokensOf(counts, { policy, estimate, limit, nowMs: storeMs, admittedAtMs })
    ));
    if (refusal !== undefined) throw refusal;
    return { tokens: reservedTokens(estimate, limit), atMs, ended: false };
  }

  #change(
    { id }: KeyRecord,
    nowMs: number,
    decide: (counts: KeyCounts, storeMs: number) => LimitOutcome,
  ): Promise<LimitOutcome> {
    return this.#shared.change(id, (before, storeMs): CountsDecision<LimitOutcome> => {
      const result = decide(before, storeMs);
      this.#seen.set(id, { counts: result.counts, aheadMs: storeMs - nowMs });
      return { counts: result.counts, result };
    });
  }

  #correct(
    id: string,
    nowMs: number,
    correct: (counts: KeyCounts, storeMs: number) => KeyCounts,
  ): void {
    const seen = this.#seen.get(id);
    // The headers of the answer that ends now are written before the store answers.
    if (seen !== undefined) {
      this.#seen.set(id, { ...seen, counts: correct(seen.counts, nowMs + seen.aheadMs) });
    }
    this.#shared.correct(id, correct);
  }
}
