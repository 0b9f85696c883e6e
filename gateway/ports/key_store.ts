import type { KeyRecord } from "../domain/policy/key.ts";

/** The record of a key with its digest. */
export interface StoredKey {
  readonly record: KeyRecord;
  /** Version of the pepper, a dot, and the hexadecimal HMAC-SHA-256 of the whole key under it. */
  readonly digest: string;
}

/** A store of API keys. A write is visible to the next read. */
export interface KeyStore {
  /**
   * Number of keys that this process created or may have created: a list that was read at a lower
   * number may lack one.
   */
  readonly created: number;
  /**
   * Returns the record of a recently used key from memory, as it is in the store, or `undefined`.
   */
  remembered(digest: string): KeyRecord | undefined;
  /**
   * Returns the record of the active key under one of the digests, with one read of the store. The
   * store is always read, so that a revoked, a disabled and an unknown key are all absent and take
   * the same time.
   */
  findByDigest(...digests: string[]): Promise<KeyRecord | undefined>;
  get(id: string): Promise<KeyRecord | undefined>;
  /** Returns the keys, newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Returns the keys as {@linkcode KeyStore.list} does, with their digests. */
  listStored(): Promise<readonly StoredKey[]>;
  /**
   * Stores a key. Returns false, without a change, if the id exists, or the digest belongs to an
   * active key.
   */
  create(key: StoredKey): Promise<boolean>;
  /**
   * Replaces the record by the result of `change`, atomically. Resolves to `undefined` if there is
   * no such key; `change` may return its argument to change nothing.
   */
  update(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined>;
  /**
   * Stores a key under another digest, atomically: at any time it can be read under one of the two.
   * Returns false, without a change, if it is not stored under `from`.
   */
  move(id: string, digests: { readonly from: string; readonly to: string }): Promise<boolean>;
}
