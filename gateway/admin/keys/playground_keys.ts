import type { KeyRing } from "../../flows/keys/key_ring.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Clock } from "../../ports/clock.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { serves } from "../../domain/policy/key.ts";

/** A playground's key ends so many ms after it was made, by its policy. */
export const KEY_LIFETIME_MS = 10 * 60_000;
/** A key that ends sooner than this, in ms, is not taken for another call: that one may take long. */
const LEAST_LEFT_MS = 5 * 60_000;

/** What every playground's key is called, so that requests and keys tell it from others. */
export const PLAYGROUND_NAME = "playground";

const REQUESTS_PER_MINUTE = 60;
const CONCURRENT_REQUESTS = 4;

/** A key that the playground calls with. */
export interface PlaygroundKey {
  readonly id: string;
  /** The secret; it leaves this process in no answer. */
  readonly key: string;
  readonly expiresMs: number;
}

/**
 * Keys of the playground, one for each wallet: made when one is needed, kept in memory alone, and over
 * after minutes by their own policy, also where this process ends before it can revoke them.
 */
export class PlaygroundKeys {
  readonly #deps: {
    readonly keyRing: KeyRing;
    readonly keys: KeyStore;
    readonly clock: Clock;
  };
  /** By wallet. A promise, so that two calls at once make one key. */
  readonly #made = new Map<string, Promise<PlaygroundKey>>();

  constructor(deps: { keyRing: KeyRing; keys: KeyStore; clock: Clock }) {
    this.#deps = deps;
  }

  /** A key on a wallet that is there, which serves for some minutes more. */
  async of(wallet: string): Promise<PlaygroundKey> {
    const known = this.#made.get(wallet);
    if (known !== undefined) {
      const key = await known;
      if (await this.#isGood(key)) return key;
      // Somebody else may have made one while this one was looked up.
      if (this.#made.get(wallet) === known) this.#made.delete(wallet);
    }
    const made = this.#made.get(wallet) ?? this.#make(wallet);
    this.#made.set(wallet, made);
    // One that could not be made is tried again with the next call.
    made.catch(() => this.#made.get(wallet) === made && this.#made.delete(wallet));
    return await made;
  }

  /**
   * Revokes all of them; how many that were. Calls under way go on to their end. One that the store
   * cannot revoke now is over within minutes.
   */
  async end(): Promise<number> {
    const all = [...this.#made.values()];
    this.#made.clear();
    const keys = (await Promise.allSettled(all)).flatMap((made) =>
      made.status === "fulfilled" ? [made.value] : []
    );
    const ended = await Promise.allSettled(keys.map(({ id }) => this.#deps.keyRing.revoke(id)));
    return ended.filter(({ status }) => status === "fulfilled").length;
  }

  async #isGood({ id, expiresMs }: PlaygroundKey): Promise<boolean> {
    const nowMs = this.#deps.clock.nowMs();
    if (expiresMs - nowMs < LEAST_LEFT_MS) return false;
    // An operator may have revoked it by hand.
    const record = await this.#deps.keys.get(id);
    return record !== undefined && serves(record, nowMs);
  }

  async #make(walletId: string): Promise<PlaygroundKey> {
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
