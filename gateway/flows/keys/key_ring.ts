import { ServiceFault } from "../../domain/fault.ts";
import { hasExpired, type KeyRecord, type KeyStatus, serves } from "../../domain/policy/key.ts";
import { formatKey, hintOf, isKeyShaped } from "../../domain/policy/key_format.ts";
import { type KeyPolicy, violationsOf } from "../../domain/policy/policy.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Logger } from "../../ports/logger.ts";
import { BoundedMap } from "../../system/bounded_map.ts";
import { newKeyParts, type RandomBytes } from "./new_secret.ts";
import { type Peppers, usesPepper } from "./peppers.ts";

/** The reason why a key was not issued or changed. */
export type KeyRefusal =
  | { readonly code: "key_not_found" }
  | { readonly code: "key_revoked" }
  | { readonly code: "key_disabled" }
  | { readonly code: "key_expired" }
  | { readonly code: "key_taken" }
  | { readonly code: "key_malformed" }
  | { readonly code: "policy_looser"; readonly violations: readonly string[] };

/** The outcome of a change of a key. */
export type KeyChange =
  | { readonly ok: true; readonly record: KeyRecord }
  | { readonly ok: false; readonly refusal: KeyRefusal };

/** The outcome of issuing a key. `key` is the secret, which is known only now. */
export type KeyIssue =
  | { readonly ok: true; readonly key: string; readonly record: KeyRecord }
  | { readonly ok: false; readonly refusal: KeyRefusal };

/** The properties of a new key. */
export interface KeyRequest {
  readonly name: string;
  readonly walletId: string;
  readonly policy: KeyPolicy;
  /** Fixed secret instead of a random one: 16 to 256 visible ASCII characters. */
  readonly key?: string | undefined;
  /** Fixed public id instead of a random one: issuing twice under it issues one key. */
  readonly publicId?: string | undefined;
}

/** Options of a key ring. */
export interface KeyRingOptions {
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Reads the peppers again, where another gateway may change them.
   *
   * @default {only this process changes them}
   */
  readonly refreshPeppers?: (() => Promise<void>) | undefined;
  /**
   * Called when a key is disabled, revoked or rotated, with its id: what was begun with it must end.
   * It does not reject.
   *
   * @default {not called}
   */
  readonly onEnded?: ((id: string) => Promise<void>) | undefined;
  /**
   * Called before a disabled key is enabled: what was begun before it was disabled must not come back,
   * even if its end failed. If it rejects, the key stays disabled.
   *
   * @default {not called}
   */
  readonly onEnabling?: ((id: string) => Promise<void>) | undefined;
  /** Source of secrets. @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes | undefined;
}

const DIGESTS_MAX = 1_000;
/** Maximum number of keys whose last writes are remembered. */
const KEYS_NOTED = 10_000;
const MINUTE_MS = 60_000;
const LONGEST_KEY = 256;

/**
 * The API keys from issue to revocation. A key is stored under its HMAC-SHA-256 with the pepper;
 * the secret is never stored. During a rotation of the pepper a key is accepted under both, and
 * moves to the current one when it is used.
 */
export class KeyRing {
  readonly #peppers: Peppers;
  readonly #keys: KeyStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: RandomBytes | undefined;
  readonly #refreshPeppers: () => Promise<void>;
  readonly #onEnded: (id: string) => Promise<void>;
  readonly #onEnabling: (id: string) => Promise<void>;
  /** Minute of the last write of `lastUsedAtMs`, by key. */
  readonly #usedAtMs = new BoundedMap<string, number>(KEYS_NOTED);
  /** Minute of the last attempt to move a key to the current pepper, by key. */
  readonly #movedAtMs = new BoundedMap<string, number>(KEYS_NOTED);
  readonly #writes = new Set<Promise<void>>();
  /** Digests of active keys: an HMAC costs as much as the whole routing decision. */
  readonly #digests = new BoundedMap<string, string>(DIGESTS_MAX);

  constructor(peppers: Peppers, options: KeyRingOptions) {
    this.#peppers = peppers;
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#random = options.random;
    this.#refreshPeppers = options.refreshPeppers ?? (() => Promise.resolve());
    this.#onEnded = options.onEnded ?? (() => Promise.resolve());
    this.#onEnabling = options.onEnabling ?? (() => Promise.resolve());
  }

  /**
   * Returns the key that a caller presents; `undefined` if it is malformed, unknown, disabled,
   * revoked or expired. All of these cost the same: the digests and one read of the store. Only
   * active keys are answered from memory, and then without a promise.
   */
  authenticate(presented: string): KeyRecord | undefined | Promise<KeyRecord | undefined> {
    const nowMs = this.#clock.nowMs();
    const { version } = this.#peppers.current;
    const known = this.#digests.get(presented);
    const isCurrent = known !== undefined && usesPepper(known, version);
    const recent = isCurrent ? this.#keys.remembered(known) : undefined;
    if (recent !== undefined && serves(recent, nowMs)) return this.#used(recent, nowMs);
    return this.#lookUp(presented, version, nowMs);
  }

  async #lookUp(
    presented: string,
    version: number,
    nowMs: number,
  ): Promise<KeyRecord | undefined> {
    const digests = this.#peppers.digests(presented.slice(0, LONGEST_KEY));
    const record = await this.#find(digests, nowMs);
    if (record !== undefined && isKeyShaped(presented) && serves(record, nowMs)) {
      this.#noteDigest(presented, digests, record);
      return this.#used(record, nowMs);
    }
    await this.#refreshPeppers();
    // The pepper was changed meanwhile: the key may have moved from these digests.
    if (version !== this.#peppers.current.version) return await this.authenticate(presented);
    if (this.#peppers.isIncomplete) throw new ServiceFault("store_unavailable");
    return undefined;
  }

  /** Issues a key. Resolves once it is durable. */
  async issue(request: KeyRequest, options: Noted<KeyRecord> = {}): Promise<KeyIssue> {
    if (request.key !== undefined && !isKeyShaped(request.key)) {
      return refused({ code: "key_malformed" });
    }
    return await this.#create(request, options);
  }

  /**
   * Issues a copy of a key with the same or a stricter policy. The old key remains active until it
   * is disabled or revoked.
   */
  async rotate(
    id: string,
    changes: {
      name?: string | undefined;
      policy?: KeyPolicy | undefined;
      publicId?: string | undefined;
    } & Noted<KeyRecord> = {},
  ): Promise<KeyIssue> {
    const original = await this.#keys.get(id);
    const policy = changes.policy ?? original?.policy ?? {};
    const refusal = this.#whyNoCopy(original, policy);
    if (original === undefined || refusal !== undefined) {
      return refused(refusal ?? { code: "key_not_found" });
    }
    const name = changes.name ?? original.name;
    const { walletId } = original;
    const { publicId, entry } = changes;
    const copy = await this.#create({ name, walletId, policy, publicId }, { original, entry });
    if (!copy.ok) return copy;
    // A key that was revoked or narrowed meanwhile must have no copy.
    const tooLate = this.#whyNoCopy(await this.#keys.get(id), policy);
    if (tooLate === undefined) {
      await this.#onEnded(id);
      return copy;
    }
    await this.revoke(copy.record.id, { entry });
    return refused(tooLate);
  }

  #whyNoCopy(original: KeyRecord | undefined, policy: KeyPolicy): KeyRefusal | undefined {
    if (original === undefined) return { code: "key_not_found" };
    if (original.status === "revoked") return { code: "key_revoked" };
    // A copy of a disabled key would be active; a copy of a revoked or expired key would be
    // useless.
    if (original.status === "disabled") return { code: "key_disabled" };
    if (hasExpired(original, this.#clock.nowMs())) return { code: "key_expired" };
    const violations = violationsOf(policy, original.policy);
    return violations.length === 0 ? undefined : { code: "policy_looser", violations };
  }

  /** Replaces the policy of a key by the same or a stricter one. */
  narrow(id: string, policy: KeyPolicy, options: Noted<KeyRecord> = {}): Promise<KeyChange> {
    return this.#change(id, (record) => {
      const violations = violationsOf(policy, record.policy);
      return violations.length > 0 ? { code: "policy_looser", violations } : { ...record, policy };
    }, options);
  }

  /** Disables a key until it is enabled. */
  async disable(id: string, options: Noted<KeyRecord> = {}): Promise<KeyChange> {
    const change = await this.#setStatus(id, "disabled", options);
    await this.#onEnded(id);
    return change;
  }

  /** Enables a disabled key. */
  async enable(id: string, options: Noted<KeyRecord> = {}): Promise<KeyChange> {
    if ((await this.#keys.get(id))?.status === "disabled") await this.#onEnabling(id);
    return await this.#setStatus(id, "active", options);
  }

  /** Revokes a key for good. */
  async revoke(id: string, options: Noted<KeyRecord> = {}): Promise<KeyChange> {
    const change = await this.#change(id, (record) => ({ ...record, status: "revoked" }), options);
    await this.#onEnded(id);
    return change;
  }

  /** Switches the content log of a key on or off. A copy from a rotation starts with it off. */
  setContentLog(id: string, isOn: boolean, options: Noted<KeyRecord> = {}): Promise<KeyChange> {
    return this.#change(id, (record) => ({ ...record, logContent: isOn }), options);
  }

  /** Resolves when no background write is in progress: call it before the store is closed. */
  async idle(): Promise<void> {
    await Promise.all(this.#writes);
  }

  /**
   * Returns the key under one of the digests: an active one from memory, otherwise by one read of
   * the store.
   */
  async #find(digests: readonly string[], nowMs: number): Promise<KeyRecord | undefined> {
    const records = digests.map((digest) => this.#keys.remembered(digest));
    const serving = records.find((record) => record !== undefined && serves(record, nowMs));
    if (serving !== undefined) return serving;
    const isKnown = records.some((record) => record !== undefined);
    // A key that is known to be inactive is read under a digest that does not exist: a read that
    // returns a row takes longer.
    const sought = isKnown ? digests.map(nowhere) : digests;
    return await this.#keys.findByDigest(...sought);
  }

  #used(record: KeyRecord, nowMs: number): KeyRecord {
    this.#noteUse(record, nowMs);
    return record;
  }

  #setStatus(id: string, status: KeyStatus, options: Noted<KeyRecord>): Promise<KeyChange> {
    return this.#change(
      id,
      (record) => record.status === "revoked" ? { code: "key_revoked" } : { ...record, status },
      options,
    );
  }

  async #change(
    id: string,
    decide: (record: KeyRecord) => KeyRecord | KeyRefusal,
    options: Noted<KeyRecord>,
  ): Promise<KeyChange> {
    let refusal: KeyRefusal | undefined;
    const record = await this.#keys.update(id, (current) => {
      const decision = decide(current);
      // The store may call again after a conflict: only the last decision counts.
      refusal = "code" in decision ? decision : undefined;
      return "code" in decision || isSame(decision, current) ? current : decision;
    }, options);
    if (record === undefined) return refused({ code: "key_not_found" });
    return refusal === undefined ? { ok: true, record } : refused(refusal);
  }

  async #create(
    request: KeyRequest,
    { original, entry }: Noted<KeyRecord> & { readonly original?: KeyRecord | undefined },
  ): Promise<KeyIssue> {
    const parts = newKeyParts(this.#random, request.publicId);
    const key = request.key ?? formatKey(parts);
    const record: KeyRecord = {
      id: `key_${parts.publicId}`,
      name: request.name,
      walletId: request.walletId,
      status: "active",
      policy: request.policy,
      hint: hintOf(key),
      createdAtMs: this.#clock.nowMs(),
      // A budget belongs to all rotations of a key, or a rotation would renew it.
      ...(original === undefined
        ? {}
        : { rotatedFrom: original.id, budgetId: original.budgetId ?? original.id }),
    };
    // A key under a pepper that was dropped elsewhere would never serve.
    await this.#refreshPeppers();
    const digest = this.#peppers.digest(key);
    const created = await this.#keys.create({ record, digest }, { entry });
    return created ? { ok: true, key, record } : refused({ code: "key_taken" });
  }

  /** Writes the minute of use in the background, at most once a minute. */
  #noteUse(record: KeyRecord, nowMs: number): void {
    const minuteMs = nowMs - nowMs % MINUTE_MS;
    const notedMs = this.#usedAtMs.get(record.id) ?? record.lastUsedAtMs ?? 0;
    if (notedMs >= minuteMs) return;
    this.#usedAtMs.set(record.id, minuteMs);
    this.#writeBeside(
      "Cannot note the last use of a key",
      record.id,
      () => this.#keys.update(record.id, (current) => ({ ...current, lastUsedAtMs: minuteMs })),
    );
  }

  /** Remembers the digest of an active key, or moves the key to the current pepper. */
  #noteDigest(presented: string, digests: readonly string[], { id }: KeyRecord): void {
    const [to = "", from] = digests;
    if (from === undefined || this.#keys.remembered(to) !== undefined) {
      this.#digests.set(presented, to);
      return;
    }
    const nowMs = this.#clock.nowMs();
    const minuteMs = nowMs - nowMs % MINUTE_MS;
    // A failing store is not called again with every request.
    if (this.#movedAtMs.get(id) === minuteMs) return;
    this.#movedAtMs.set(id, minuteMs);
    this.#writeBeside("Cannot move a key to the current pepper", id, async () => {
      // If another gateway has moved it first, the next look finds it.
      await this.#keys.move(id, { from, to });
      this.#movedAtMs.delete(id);
    });
  }

  #writeBeside(failure: string, key: string, write: () => Promise<unknown>): void {
    const writing = this.#tryTo(failure, key, write).finally(() => this.#writes.delete(writing));
    this.#writes.add(writing);
  }

  async #tryTo(failure: string, key: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#logger.warn(failure, { key, error: String(error) });
    }
  }
}

/** True when a decision changes nothing. */
function isSame(decision: KeyRecord, current: KeyRecord): boolean {
  return JSON.stringify(decision) === JSON.stringify(current);
}

/** Returns a digest under a version that no key has. */
function nowhere(digest: string): string {
  return `0.${digest}`;
}

function refused(refusal: KeyRefusal): { readonly ok: false; readonly refusal: KeyRefusal } {
  return { ok: false, refusal };
}
