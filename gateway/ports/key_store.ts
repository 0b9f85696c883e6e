import type { KeyRecord } from "../domain/policy/key.ts";

/** A key's record with the digest it is found by. */
export interface StoredKey {
  readonly record: KeyRecord;
  /** Version of the pepper, a dot, and the hexadecimal HMAC-SHA-256 of the whole key under it. */
  readonly digest: string;
}

/** API keys. A write is seen by the next read. */
export interface KeyStore {
  /** The record of a key that was in use lately, from memory; as the store has it, or `undefined`. */
  remembered(digest: string): KeyRecord | undefined;
  /**
   * The record of the active key that stands under one of the digests, by one look at all of them.
   * The store is always asked: one that was revoked or disabled is no more to be found, and takes as
   * long, as one that never was.
   */
  findByDigest(...digests: string[]): Promise<KeyRecord | undefined>;
  get(id: string): Promise<KeyRecord | undefined>;
  /** Newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** As {@linkcode KeyStore.list}, with the digests. */
  listStored(): Promise<readonly StoredKey[]>;
  /** Returns false, changing nothing, where the id is taken, or the digest by an active key. */
  create(key: StoredKey): Promise<boolean>;
  /**
   * Replaces the record by what `change` makes of it, atomically. `undefined` where there is no such
   * key; `change` may return its argument to leave it as it is.
   */
  update(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined>;
  /**
   * Puts a key under another digest, atomically: it is found under one of the two at any time.
   * Returns false, changing nothing, where it does not stand under `from`.
   */
  move(id: string, digests: { readonly from: string; readonly to: string }): Promise<boolean>;
}
