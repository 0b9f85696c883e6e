import { createHmac, randomBytes } from "node:crypto";
import type { KeyRecord, KeyStatus } from "../domain/key.ts";
import {
  BASE62,
  formatKey,
  hintOf,
  isKeyShaped,
  type KeyParts,
  PUBLIC_ID_LENGTH,
  SECRET_LENGTH,
} from "../domain/key_format.ts";
import { type KeyPolicy, violationsOf } from "../domain/policy.ts";
import type { Clock } from "../ports/clock.ts";
import { BoundedMap } from "./bounded_map.ts";
import type { KeyStore } from "../ports/key_store.ts";
import type { Logger } from "../ports/logger.ts";

/** Why a key was not issued or changed. */
export type KeyRefusal =
  | { readonly code: "key_not_found" }
  | { readonly code: "key_revoked" }
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
  /** A fixed value instead of a random one: 16 to 256 of `[A-Za-z0-9_]`. */
  readonly key?: string | undefined;
}

/** What a key ring works with. */
export interface KeyRingOptions {
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Source of secrets. @default {randomBytes of node:crypto} */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
}

/** Stands before every digest, so that a store can hold digests of more than one pepper. */
const PEPPER_VERSION = 1;
const DIGESTS_MAX = 1_000;
const MINUTE_MS = 60_000;
const LONGEST_KEY = 256;

/**
 * API keys from issue to revocation. Keys are found by their HMAC-SHA-256 under the pepper; the
 * secret itself is never stored.
 */
export class KeyRing {
  readonly #pepper: string;
  readonly #keys: KeyStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: (bytes: number) => Uint8Array;
  /** The minute of the last write of `lastUsedAtMs`, by key. */
  readonly #usedAtMs = new Map<string, number>();
  readonly #writes = new Set<Promise<void>>();
  /** Digests of keys that serve: an HMAC costs as much as the whole routing decision. */
  readonly #digests = new BoundedMap<string, string>(DIGESTS_MAX);

  constructor(pepper: string, options: KeyRingOptions) {
    this.#pepper = pepper;
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#random = options.random ?? randomBytes;
  }

  /** Version of the pepper, a dot, and the hexadecimal HMAC-SHA-256 of a secret under it. */
  digest(secret: string): string {
    const hmac = createHmac("sha256", this.#pepper).update(secret).digest("hex");
    return `${PEPPER_VERSION}.${hmac}`;
  }

  /**
   * The key that a caller presents; `undefined` alike where it is malformed, unknown, disabled,
   * revoked or expired.
   */
  async authenticate(presented: string): Promise<KeyRecord | undefined> {
    const known = this.#digests.get(presented);
    const digest = known ?? this.digest(presented.slice(0, LONGEST_KEY));
    if (!isKeyShaped(presented)) return undefined;
    const record = await this.#keys.findByDigest(digest);
    if (record === undefined || record.status !== "active") return undefined;
    if (known === undefined) this.#digests.set(presented, digest);
    const nowMs = this.#clock.nowMs();
    const { expiresAt } = record.policy;
    // An unreadable time is NaN and compares false: such a key counts as expired.
    if (expiresAt !== undefined && !(nowMs < Date.parse(expiresAt))) return undefined;
    this.#noteUse(record, nowMs);
    return record;
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
    changes: { name?: string | undefined; policy?: KeyPolicy | undefined } = {},
  ): Promise<KeyIssue> {
    const original = await this.#keys.get(id);
    if (original === undefined) return refused({ code: "key_not_found" });
    if (original.status === "revoked") return refused({ code: "key_revoked" });
    const policy = changes.policy ?? original.policy;
    const violations = violationsOf(policy, original.policy);
    if (violations.length > 0) return refused({ code: "policy_looser", violations });
    const name = changes.name ?? original.name;
    return await this.#create({ name, walletId: original.walletId, policy }, original);
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

  /** A new admin token. Only its digest is to be kept. */
  newAdminToken(): string {
    return formatKey(this.#parts(), "admin");
  }

  /** Resolves when no write of a last use is under way: before the store is closed. */
  async idle(): Promise<void> {
    await Promise.all(this.#writes);
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
    const parts = this.#parts();
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
    const created = await this.#keys.create({ record, digest: this.digest(key) });
    return created ? { ok: true, key, record } : refused({ code: "key_taken" });
  }

  /** Writes the minute of use beside the request, never in its way, at most once a minute. */
  #noteUse(record: KeyRecord, nowMs: number): void {
    const minuteMs = nowMs - nowMs % MINUTE_MS;
    const notedMs = this.#usedAtMs.get(record.id) ?? record.lastUsedAtMs ?? 0;
    if (notedMs >= minuteMs) return;
    this.#usedAtMs.set(record.id, minuteMs);
    const write = this.#writeUse(record.id, minuteMs).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  async #writeUse(id: string, lastUsedAtMs: number): Promise<void> {
    try {
      await this.#keys.update(id, (current) => ({ ...current, lastUsedAtMs }));
    } catch (error) {
      this.#logger.warn("Cannot note the last use of a key", { key: id, error: String(error) });
    }
  }

  #parts(): KeyParts {
    return { publicId: this.#base62(PUBLIC_ID_LENGTH), secret: this.#base62(SECRET_LENGTH) };
  }

  #base62(length: number): string {
    let text = "";
    while (text.length < length) {
      for (const byte of this.#random(length)) {
        // 248 is four times 62: bytes from there on would favour the first digits.
        if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
      }
    }
    return text;
  }
}

function refused(refusal: KeyRefusal): { readonly ok: false; readonly refusal: KeyRefusal } {
  return { ok: false, refusal };
}
