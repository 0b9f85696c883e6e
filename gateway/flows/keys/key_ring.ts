import { hasExpired, type KeyRecord, type KeyStatus, serves } from "../../domain/policy/key.ts";
import { formatKey, hintOf, isKeyShaped } from "../../domain/policy/key_format.ts";
import { type KeyPolicy, violationsOf } from "../../domain/policy/policy.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyStore } from "../../ports/key_store.ts";
import type { Logger } from "../../ports/logger.ts";
import { BoundedMap } from "../../system/bounded_map.ts";
import { newKeyParts, type RandomBytes } from "./new_secret.ts";
import { type Peppers, standsUnder } from "./peppers.ts";

/** Why a key was not issued or changed. */
export type KeyRefusal =
  | { readonly code: "key_not_found" }
  | { readonly code: "key_revoked" }
  | { readonly code: "key_disabled" }
  | { readonly code: "key_expired" }
  | { readonly code: "key_taken" }
  | { readonly code: "key_malformed" }
  | { readonly code: "policy_looser"; readonly violations: readonly string[] };

/** A key was changed, or not. */
export type KeyChange =
  | { readonly ok: true; readonly record: KeyRecord }
  | { readonly ok: false; readonly refusal: KeyRefusal };

/** A key was issued, or not. `key` is the secret itself: this is the only time it is known. */
export type KeyIssue =
  | { readonly ok: true; readonly key: string; readonly record: KeyRecord }
  | { readonly ok: false; readonly refusal: KeyRefusal };

/** What a new key is. */
export interface KeyRequest {
  readonly name: string;
  readonly walletId: string;
  readonly policy: KeyPolicy;
  /** A fixed value instead of a random one: 16 to 256 visible ASCII characters. */
  readonly key?: string | undefined;
  /** Its public id instead of a random one: what is issued twice under it is issued once. */
  readonly publicId?: string | undefined;
}

/** What a key ring works with. */
export interface KeyRingOptions {
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Source of secrets. @default {randomBytes of node:crypto} */
  readonly random?: RandomBytes | undefined;
}

const DIGESTS_MAX = 1_000;
const MINUTE_MS = 60_000;
const LONGEST_KEY = 256;

/**
 * API keys from issue to revocation. Keys are found by their HMAC-SHA-256 under the pepper; the
 * secret itself is never stored. While the pepper is changed a key is found under both, and moves
 * to the current one when it is used.
 */
export class KeyRing {
  readonly #peppers: Peppers;
  readonly #keys: KeyStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: RandomBytes | undefined;
  /** The minute of the last write of `lastUsedAtMs`, by key. */
  readonly #usedAtMs = new Map<string, number>();
  /** The minute of the last try to move a key to the current pepper, by key. */
  readonly #movedAtMs = new Map<string, number>();
  readonly #writes = new Set<Promise<void>>();
  /** Digests of keys that serve: an HMAC costs as much as the whole routing decision. */
  readonly #digests = new BoundedMap<string, string>(DIGESTS_MAX);

  constructor(peppers: Peppers, options: KeyRingOptions) {
    this.#peppers = peppers;
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#random = options.random;
  }

  /**
   * The key that a caller presents; `undefined` alike where it is malformed, unknown, disabled,
   * revoked or expired. All of these cost the same: the digests and one look into the store. Only
   * keys that serve are answered from memory.
   */
  async authenticate(presented: string): Promise<KeyRecord | undefined> {
    const nowMs = this.#clock.nowMs();
    const { version } = this.#peppers.current;
    const known = this.#digests.get(presented);
    const isCurrent = known !== undefined && standsUnder(known, version);
    const recent = isCurrent ? this.#keys.remembered(known) : undefined;
    if (recent !== undefined && serves(recent, nowMs)) return this.#used(recent, nowMs);

    const digests = this.#peppers.digests(presented.slice(0, LONGEST_KEY));
    const record = await this.#find(digests, nowMs);
    if (record !== undefined && isKeyShaped(presented) && serves(record, nowMs)) {
      this.#noteDigest(presented, digests, record);
      return this.#used(record, nowMs);
    }
    // The pepper was changed meanwhile: the key may have moved away from under these digests.
    const changed = version !== this.#peppers.current.version;
    return changed ? await this.authenticate(presented) : undefined;
  }

  /** Makes a key. Resolves once it is durable. */
  async issue(request: KeyRequest): Promise<KeyIssue> {
    if (request.key !== undefined && !isKeyShaped(request.key)) {
      return refused({ code: "key_malformed" });
    }
    return await this.#create(request);
  }

  /**
   * Makes a copy of a key with the same or a stricter policy. The old key goes on serving until it
   * is disabled or revoked.
   */
  async rotate(
    id: string,
    changes: {
      name?: string | undefined;
      policy?: KeyPolicy | undefined;
      publicId?: string | undefined;
    } = {},
  ): Promise<KeyIssue> {
    const original = await this.#keys.get(id);
    const policy = changes.policy ?? original?.policy ?? {};
    const refusal = this.#whyNoCopy(original, policy);
    if (original === undefined || refusal !== undefined) {
      return refused(refusal ?? { code: "key_not_found" });
    }
    const name = changes.name ?? original.name;
    const { walletId } = original;
    const { publicId } = changes;
    const copy = await this.#create({ name, walletId, policy, publicId }, original);
    if (!copy.ok) return copy;
    // What was revoked or narrowed meanwhile must not live on in a copy.
    const tooLate = this.#whyNoCopy(await this.#keys.get(id), policy);
    if (tooLate === undefined) return copy;
    await this.revoke(copy.record.id);
    return refused(tooLate);
  }

  #whyNoCopy(original: KeyRecord | undefined, policy: KeyPolicy): KeyRefusal | undefined {
    if (original === undefined) return { code: "key_not_found" };
    if (original.status === "revoked") return { code: "key_revoked" };
    // A copy would serve where the original does not, or be as useless.
    if (original.status === "disabled") return { code: "key_disabled" };
    if (hasExpired(original, this.#clock.nowMs())) return { code: "key_expired" };
    const violations = violationsOf(policy, original.policy);
    return violations.length === 0 ? undefined : { code: "policy_looser", violations };
  }

  /** Replaces a key's policy by the same or a stricter one. */
  narrow(id: string, policy: KeyPolicy): Promise<KeyChange> {
    return this.#change(id, (record) => {
      const violations = violationsOf(policy, record.policy);
      return violations.length > 0 ? { code: "policy_looser", violations } : { ...record, policy };
    });
  }

  /** Stops a key from serving until it is enabled. */
  disable(id: string): Promise<KeyChange> {
    return this.#setStatus(id, "disabled");
  }

  /** Lets a disabled key serve again. */
  enable(id: string): Promise<KeyChange> {
    return this.#setStatus(id, "active");
  }

  /** Stops a key for good. */
  revoke(id: string): Promise<KeyChange> {
    return this.#change(id, (record) => ({ ...record, status: "revoked" }));
  }

  /**
   * Switches on or off whether what is said is kept with the key's requests. A copy that a rotation
   * makes begins without it.
   */
  setContentLog(id: string, isOn: boolean): Promise<KeyChange> {
    return this.#change(id, (record) => ({ ...record, logContent: isOn }));
  }

  /** Resolves when nothing is written beside requests any more: before the store is closed. */
  async idle(): Promise<void> {
    await Promise.all(this.#writes);
  }

  /** The key under one of the digests: from memory where it serves, else by a look into the store. */
  async #find(digests: readonly string[], nowMs: number): Promise<KeyRecord | undefined> {
    const records = digests.map((digest) => this.#keys.remembered(digest));
    const serving = records.find((record) => record !== undefined && serves(record, nowMs));
    if (serving !== undefined) return serving;
    const isKnown = records.some((record) => record !== undefined);
    // What is known not to serve is looked for where nothing is: a row that is found takes longer.
    const sought = isKnown ? digests.map(nowhere) : digests;
    return await this.#keys.findByDigest(...sought);
  }

  #used(record: KeyRecord, nowMs: number): KeyRecord {
    this.#noteUse(record, nowMs);
    return record;
  }

  #setStatus(id: string, status: KeyStatus): Promise<KeyChange> {
    return this.#change(
      id,
      (record) => record.status === "revoked" ? { code: "key_revoked" } : { ...record, status },
    );
  }

  async #change(
    id: string,
    decide: (record: KeyRecord) => KeyRecord | KeyRefusal,
  ): Promise<KeyChange> {
    let refusal: KeyRefusal | undefined;
    const record = await this.#keys.update(id, (current) => {
      const decision = decide(current);
      // The store may ask again after a conflict: only the last decision stands.
      refusal = "code" in decision ? decision : undefined;
      return "code" in decision ? current : decision;
    });
    if (record === undefined) return refused({ code: "key_not_found" });
    return refusal === undefined ? { ok: true, record } : refused(refusal);
  }

  async #create(request: KeyRequest, original?: KeyRecord): Promise<KeyIssue> {
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
      // A budget belongs to the whole line of keys, or a rotation would renew it.
      ...(original === undefined
        ? {}
        : { rotatedFrom: original.id, budgetId: original.budgetId ?? original.id }),
    };
    const created = await this.#keys.create({ record, digest: this.#peppers.digest(key) });
    return created ? { ok: true, key, record } : refused({ code: "key_taken" });
  }

  /** Writes the minute of use beside the request, never in its way, at most once a minute. */
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

  /** Remembers the digest of a key that serves, or moves the key to the current pepper. */
  #noteDigest(presented: string, digests: readonly string[], { id }: KeyRecord): void {
    const [to = "", from] = digests;
    if (from === undefined || this.#keys.remembered(to) !== undefined) {
      this.#digests.set(presented, to);
      return;
    }
    const nowMs = this.#clock.nowMs();
    const minuteMs = nowMs - nowMs % MINUTE_MS;
    // A store that fails is not asked again with every request.
    if (this.#movedAtMs.get(id) === minuteMs) return;
    this.#movedAtMs.set(id, minuteMs);
    this.#writeBeside("Cannot move a key to the current pepper", id, async () => {
      if (await this.#keys.move(id, { from, to })) this.#movedAtMs.delete(id);
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

/** A digest of no version: no key stands under it. */
function nowhere(digest: string): string {
  return `0.${digest}`;
}

function refused(refusal: KeyRefusal): { readonly ok: false; readonly refusal: KeyRefusal } {
  return { ok: false, refusal };
}
