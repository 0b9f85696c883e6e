import type { RequestRecord } from "../ports/request_log.ts";
import { namesOf } from "../domain/policy/key_budget.ts";
import { nameOfKey } from "./watch/keys.ts";
import { type UpstreamAttempt, UpstreamWatch } from "./watch/upstreams.ts";

/** Maximum number of wallets, and of keys, that wait for a look; beyond it all are looked at. */
export const TOUCHED_MAX = 10_000;

/** Changes since the last look. */
export interface Happened {
  readonly wallets: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  /**
   * Keys whose budget did not cover a request, and the names of such requests, by
   * {@linkcode nameOfKey}.
   */
  readonly refused: ReadonlySet<string>;
  /** True when there was too much to remember. */
  readonly isAll: boolean;
}

/**
 * The bounded step between requests and notifications: requests only add ids to sets in memory, and
 * nothing at all while there is no target.
 */
export class Events {
  readonly upstreams = new UpstreamWatch();
  #wallets = new Set<string>();
  #keys = new Set<string>();
  #refused = new Set<string>();
  #isAll = false;
  /** False while there is no target: then requests leave no trace. */
  isWanted = false;

  /** Notes a request that has ended. */
  request({ walletId, keyId, errorCode, attribution }: RequestRecord): void {
    if (!this.isWanted) return;
    if (this.#wallets.size >= TOUCHED_MAX || this.#keys.size >= TOUCHED_MAX) {
      this.#isAll = true;
      return;
    }
    this.#wallets.add(walletId);
    this.#keys.add(keyId);
    if (errorCode !== "key_budget_exceeded") return;
    this.#refused.add(keyId);
    for (const name of namesOf(attribution)) this.#refused.add(nameOfKey(keyId, name));
  }

  /** Notes an attempt at an upstream. */
  attempt(attempt: UpstreamAttempt, nowMs: number): void {
    if (this.isWanted) this.upstreams.note(attempt, nowMs);
  }

  /** Returns what happened and begins anew. */
  take(): Happened {
    const happened = {
      ...{ wallets: this.#wallets, keys: this.#keys, refused: this.#refused },
      isAll: this.#isAll,
    };
    [this.#wallets, this.#keys, this.#refused] = [new Set(), new Set(), new Set()];
    this.#isAll = false;
    return happened;
  }

  /** Puts back what could not be looked at, so that the next look includes it. */
  putBack({ wallets, keys, refused, isAll }: Happened): void {
    this.#wallets = this.#wallets.union(wallets);
    this.#keys = this.#keys.union(keys);
    this.#refused = this.#refused.union(refused);
    this.#isAll ||= isAll;
  }
}
