import type { KeyRing } from "../../flows/keys/key_ring.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { serves } from "../../domain/policy/key.ts";

/** Lifetime of a key of the playground, in milliseconds; its policy ends it. */
export const KEY_LIFETIME_MS = 10 * 60_000;
/** Minimum remaining lifetime of a key for another call, which may take long, in milliseconds. */
const MIN_REMAINING_MS = 5 * 60_000;

/** Name of every key of the playground, which marks its keys and requests. */
export const PLAYGROUND_NAME = "playground";

/** Setting with the ids of the keys that any gateway on the store has made, and their ends. */
const IDS = "playground_keys";
/** Tries of a change that another gateway has overtaken. */
const TRIES = 20;

const REQUESTS_PER_MINUTE = 60;
const CONCURRENT_REQUESTS = 4;

/** A key that the playground calls with. */
export interface PlaygroundKey {
  readonly id: string;
  /** The secret; no answer contains it. */
  readonly key: string;
  readonly expiresMs: number;
}

/** A key in the setting, without its secret. */
interface NotedKey {
  readonly id: string;
  readonly expiresMs: number;
}

/** Dependencies of {@linkcode PlaygroundKeys}. */
export interface PlaygroundDeps {
  readonly keyRing: KeyRing;
  readonly keys: KeyStore;
  readonly settings: SettingsStore;
  readonly clock: Clock;
}

/**
 * Keys of the playground, one for each wallet and gateway: created on demand, their secrets kept in
 * memory only. Any gateway on the store revokes them all, and their own policy ends them after
 * minutes.
 */
export class PlaygroundKeys {
  readonly #deps: PlaygroundDeps;
  /** Keys by wallet. Promises, so that two calls at once create one key. */
  readonly #keys = new Map<string, Promise<PlaygroundKey>>();

  constructor(deps: PlaygroundDeps) {
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
   * Revokes all keys, of every gateway on the store, and returns how many. Calls in flight complete.
   * A key that the store cannot revoke now expires within minutes.
   */
  async end(): Promise<number> {
    await Promise.allSettled(this.#keys.values());
    this.#keys.clear();
    let noted: readonly NotedKey[] = [];
    await this.#note((all) => {
      noted = all;
      return [];
    });
    const ended = await Promise.allSettled(noted.map(({ id }) => this.#revoke(id)));
    return ended.filter((one) => one.status === "fulfilled" && one.value).length;
  }

  /** Resolves to false for a key that an operator has revoked. */
  async #revoke(id: string): Promise<boolean> {
    const record = await this.#deps.keys.get(id);
    if (record === undefined || !serves(record, this.#deps.clock.nowMs())) return false;
    await this.#deps.keyRing.revoke(id);
    return true;
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
    const { id } = issued.record;
    await this.#note((all) => [...all, { id, expiresMs }]);
    return { id, key: issued.key, expiresMs };
  }

  /** Changes the noted keys; those that have expired are forgotten. */
  async #note(change: (all: readonly NotedKey[]) => readonly NotedKey[]): Promise<void> {
    const { settings, clock } = this.#deps;
    for (let tries = 0; tries < TRIES; tries++) {
      const from = await settings.get(IDS);
      const all: readonly NotedKey[] = from === undefined ? [] : JSON.parse(from);
      const nowMs = clock.nowMs();
      const changed = change(all.filter(({ expiresMs }) => nowMs < expiresMs));
      if (changed.length === 0 && all.length === 0) return;
      if (await settings.replace(IDS, { from, to: JSON.stringify(changed) })) return;
    }
    throw new ServiceFault("conflict", {
      message: "Others change the playground's keys at the same time; try again",
    });
  }
}
