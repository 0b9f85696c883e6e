import type { KeyRecord } from "../domain/key.ts";

/** A key's record with the digest it is found by. */
export interface StoredKey {
  readonly record: KeyRecord;
  /** Version of the pepper, a dot, and the hexadecimal HMAC-SHA-256 of the whole key under it. */
  readonly digest: string;
}

/** API keys. A write is seen by the next read. */
export interface KeyStore {
  /** The record found by one lookup of the digest. */
  findByDigest(digest: string): Promise<KeyRecord | undefined>;
  get(id: string): Promise<KeyRecord | undefined>;
  /** Newest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Returns false, changing nothing, where the id or the digest is taken. */
  create(key: StoredKey): Promise<boolean>;
  /**
   * Replaces the record by what `change` makes of it, atomically. `undefined` where there is no such
   * key; `change` may return its argument to leave it as it is.
   */
  update(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined>;
}
