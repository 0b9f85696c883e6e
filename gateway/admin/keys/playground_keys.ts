import type { TrailAuthor } from "../../domain/operators/trail.ts";
import type { KeyIssue, KeyRing } from "../../flows/keys/key_ring.ts";
import { newKeyParts } from "../../flows/keys/new_secret.ts";
import type { Trail } from "../../flows/operators/trail.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { serves } from "../../domain/policy/key.ts";
import { keyJson } from "./key_json.ts";

/** Lifetime of a key of the playground, in milliseconds; its policy ends it. */
export const KEY_LIFETIME_MS = 10 * 60_000;
/** Minimum remaining lifetime of a key for another call, which may take long, in milliseconds. */
const MIN_REMAINING_MS = 5 * 60_000;

/** Beginning of the name of every key of the playground; its operator's name follows. */
export const PLAYGROUND_NAME = "playground";
/** Longest name of a key, in characters. */
const NAME_CHARS_MAX = 100;
/** Keys of one operator, for as many wallets; one more revokes the oldest of them. */
export const OWN_KEYS_MAX = 5;
/** Keys of all operators; one more is refused. */
export const KEYS_MAX = 100;

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
  /** Id of the operator who calls with it. */
  readonly owner: string;
}

/** Dependencies of {@linkcode PlaygroundKeys}. */
export interface PlaygroundDeps {
  readonly keyRing: Pick<KeyRing, "issue" | "revoke">;
  readonly keys: KeyStore;
  readonly settings: SettingsStore;
  readonly trail: Pick<Trail, "together">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A key of this gateway that may be in the making: two calls at once create one. */
interface HeldKey {
  readonly owner: string;
  readonly key: Promise<PlaygroundKey>;
  readonly untilMs: number;
}

/**
 * Keys of the playground, one for each operator, wallet and gateway: created on demand, their secrets
 * kept in memory only. Any gateway on the store revokes all of an operator, and their own policy ends
 * them after minutes.
 */
export class PlaygroundKeys {
  readonly #deps: PlaygroundDeps;
  /** Keys by operator and wallet. */
  readonly #held = new Map<string, HeldKey>();

  constructor(deps: PlaygroundDeps) {
    this.#deps = deps;
  }

  /** Returns an operator's key of an existing wallet that serves for some minutes more. */
  async keyOf(wallet: string, author: TrailAuthor): Promise<PlaygroundKey> {
    const name = JSON.stringify([author.id, wallet]);
    const known = this.#held.get(name);
    if (known !== undefined) {
      const key = await known.key;
      if (await this.#isGood(key)) return key;
      // Another call may have replaced it during the look-up.
      if (this.#held.get(name) === known) this.#held.delete(name);
    }
    const held = this.#held.get(name) ?? this.#hold(name, wallet, author);
    return await held.key;
  }

  /**
   * Revokes all keys of an operator, of every gateway on the store, each with an entry in the audit
   * log; resolves to their number. Calls in flight complete. A key that the store cannot revoke now
   * expires within minutes.
   */
  async end(owner: string, author: TrailAuthor): Promise<number> {
    const own = [...this.#held].filter(([, held]) => held.owner === owner);
    await Promise.allSettled(own.map(([, { key }]) => key));
    for (const [name, held] of own) if (this.#held.get(name) === held) this.#held.delete(name);
    let ended: readonly NotedKey[] = [];
    await this.#note((all) => {
      ended = all.filter((key) => key.owner === owner);
      return all.filter((key) => key.owner !== owner);
    });
    return await this.#revokeAll(ended, author);
  }

  /**
   * Ends the keys of an operator whose access has ended. A failure is logged: without the operator no
   * request calls with them, and they expire within minutes.
   */
  async endAfter(owner: string, author: TrailAuthor): Promise<void> {
    try {
      await this.end(owner, author);
    } catch (error) {
      this.#deps.logger.warn("playground_keys_not_ended", { owner, error: String(error) });
    }
  }

  #hold(name: string, wallet: string, author: TrailAuthor): HeldKey {
    const nowMs = this.#deps.clock.nowMs();
    for (const [other, { untilMs }] of this.#held) {
      if (untilMs <= nowMs) this.#held.delete(other);
    }
    const expiresMs = nowMs + KEY_LIFETIME_MS;
    const key = this.#create(wallet, { author, expiresMs });
    const held = { owner: author.id, key, untilMs: expiresMs };
    this.#held.set(name, held);
    // A failed creation is repeated by the next call.
    key.catch(() => this.#held.get(name) === held && this.#held.delete(name));
    return held;
  }

  async #isGood({ id, expiresMs }: PlaygroundKey): Promise<boolean> {
    const nowMs = this.#deps.clock.nowMs();
    if (expiresMs - nowMs < MIN_REMAINING_MS) return false;
    // An operator may have revoked it.
    const record = await this.#deps.keys.get(id);
    return record !== undefined && serves(record, nowMs);
  }

  async #create(
    walletId: string,
    { author, expiresMs }: { readonly author: TrailAuthor; readonly expiresMs: number },
  ): Promise<PlaygroundKey> {
    const { keyRing, trail } = this.#deps;
    const { publicId } = newKeyParts();
    const id = `key_${publicId}`;
    // Noted before it is made, so that none is beyond the bounds, or unknown to those who end it.
    const over = await this.#enlist({ id, expiresMs, owner: author.id });
    await this.#revokeAll(over, author);
    const policy = {
      expiresAt: new Date(expiresMs).toISOString(),
      requestsPerMinute: REQUESTS_PER_MINUTE,
      concurrentRequests: CONCURRENT_REQUESTS,
    };
    const request = { name: nameOf(author), walletId, policy, publicId };
    const action = { author, action: "createPlaygroundKey", subject: `/keys/${id}` };
    const key = await trail.together(
      action,
      async (entry) => secretOf(await keyRing.issue(request, { entry: entry(keyJson) })),
    );
    if (await this.#isNoted(id)) return { id, key, expiresMs };
    // Those who ended it, or had it give way, found nothing to revoke yet.
    await this.#revoke(id, author);
    throw new ServiceFault("conflict", {
      message: "The playground's key was ended while it was made; try again",
    });
  }

  async #isNoted(id: string): Promise<boolean> {
    const noted: readonly NotedKey[] = JSON.parse(await this.#deps.settings.get(IDS) ?? "[]");
    return noted.some((key) => key.id === id);
  }

  /** Notes a new key; returns those of its operator that are too many with it. */
  async #enlist(key: NotedKey): Promise<readonly NotedKey[]> {
    let over: readonly NotedKey[] = [];
    await this.#note((all) => {
      const own = all.filter(({ owner }) => owner === key.owner);
      over = own.slice(0, Math.max(0, own.length - OWN_KEYS_MAX + 1));
      const others = all.filter((other) => !over.includes(other));
      if (others.length >= KEYS_MAX) throw this.#full(others);
      return [...others, key];
    });
    return over;
  }

  #full(keys: readonly NotedKey[]): ServiceFault {
    const firstEndMs = Math.min(...keys.map(({ expiresMs }) => expiresMs));
    return new ServiceFault("rate_limit_exceeded", {
      message: "Too many keys of the playground are in use; wait as long as Retry-After says",
      retryAfterMs: Math.max(1_000, firstEndMs - this.#deps.clock.nowMs()),
    });
  }

  async #revokeAll(keys: readonly NotedKey[], author: TrailAuthor): Promise<number> {
    const ended = await Promise.allSettled(keys.map(({ id }) => this.#revoke(id, author)));
    return ended.filter((one) => one.status === "fulfilled" && one.value).length;
  }

  /** Resolves to false for a key that an operator has revoked, or that was never made. */
  async #revoke(id: string, author: TrailAuthor): Promise<boolean> {
    const { keys, keyRing, trail, clock } = this.#deps;
    const record = await keys.get(id);
    if (record === undefined || !serves(record, clock.nowMs())) return false;
    await trail.together(
      { author, action: "endPlayground", subject: `/keys/${id}` },
      async (entry) => await keyRing.revoke(id, { entry: entry(keyJson) }),
    );
    return true;
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

function secretOf(issued: KeyIssue): string {
  if (issued.ok) return issued.key;
  throw new ServiceFault("conflict", {
    message: "Cannot make the playground's key; try again",
  });
}

/** Returns the name of a key of an operator. */
function nameOf({ name }: TrailAuthor): string {
  const visible = name.replaceAll(/\p{C}/gu, " ").slice(0, NAME_CHARS_MAX - 13).toWellFormed();
  return `${PLAYGROUND_NAME} (${visible})`;
}
