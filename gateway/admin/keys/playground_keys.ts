import type { KeyRing } from "../../flows/keys/key_ring.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Clock } from "../../ports/clock.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { serves } from "../../domain/policy/key.ts";

/** Lifetime of a key of the playground, in milliseconds; its policy ends it. */
export const KEY_LIFETIME_MS = 10 * 60_000;
/** Minimum remaining lifetime of a key for another call, which may take long, in milliseconds. */
const MIN_REMAINING_MS = 5 * 60_000;

/** Name of every key of the playground, which marks its keys and requests. */
export const PLAYGROUND_NAME = "playground";

const REQUESTS_PER_MINUTE = 60;
const CONCURRENT_REQUESTS = 4;

/** A key that the playground calls with. */
export interface PlaygroundKey {
  readonly id: string;
  /** The secret; no answer contains it. */
  readonly key: string;
  readonly expiresMs: number;
}

/**
 * Keys of the playground, one for each wallet: created on demand and kept in memory only. Their own
 * policy ends them after minutes, also where this process ends before it can revoke them.
 */
export class PlaygroundKeys {
  readonly #deps: { readonly keyRing: KeyRing; readonly keys: KeyStore; readonly clock: Clock };
  /** Keys by wallet. Promises, so that two calls at once create one key. */
  readonly #keys = new Map<string, Promise<PlaygroundKey>>();

  constructor(deps: { keyRing: KeyRing; keys: KeyStore; clock: Clock }) {
    this.#deps = deps;
  }

  /** Returns a key of an existing wallet that serves for some minutes more. */
  async keyOf(wallet: string): Promise<PlaygroundKey> {
    const known = this.#keys.get(wallet);
    if (known !== undefined) {
      const key = await known;
      if (await this.#isGood(key)) return key;
      // Another call may have replaced it during the look-up.
      if (this.#keys.get(wallet) === known) this.#keys.delete(wallet);
    }
    const key = this.#keys.get(wallet) ?? this.#create(wallet);
    this.#keys.set(wallet, key);
    // A failed creation is repeated by the next call.
    key.catch(() => this.#keys.get(wallet) === key && this.#keys.delete(wallet));
    return await key;
  }

  /**
   * Revokes all keys and returns how many. Calls in flight complete. A key that the store cannot
   * revoke now expires within minutes.
   */
  async end(): Promise<number> {
    const all = [...this.#keys.values()];
    this.#keys.clear();
    const keys = (await Promise.allSettled(all)).flatMap((key) =>
      key.status === "fulfilled" ? [key.value] : []
    );
    const ended = await Promise.allSettled(keys.map(({ id }) => this.#deps.keyRing.revoke(id)));
    return ended.filter(({ status }) => status === "fulfilled").length;
  }

  async #isGood({ id, expiresMs }: PlaygroundKey): Promise<boolean> {
    const nowMs = this.#deps.clock.nowMs();
    if (expiresMs - nowMs < MIN_REMAINING_MS) return false;
    // An operator may have revoked it.
    const record = await this.#deps.keys.get(id);
    return record !== undefined && serves(record, nowMs);
  }

  async #create(walletId: string): Promise<PlaygroundKey> {
    const expiresMs = this.#deps.clock.nowMs() + KEY_LIFETIME_MS;
    const issued = await this.#deps.keyRing.issue({
      name: PLAYGROUND_NAME,
      walletId,
      policy: {
        expiresAt: new Date(expiresMs).toISOString(),
        requestsPerMinute: REQUESTS_PER_MINUTE,
        concurrentRequests: CONCURRENT_REQUESTS,
      },
    });
    if (!issued.ok) {
      throw new ServiceFault("conflict", {
        message: "Cannot make the playground's key; try again",
      });
    }
    return { id: issued.record.id, key: issued.key, expiresMs };
  }
}
