import type { KeyRecord } from "../domain/policy/key.ts";
import type { Noted } from "../domain/operators/trail.ts";
import type { AtOnce } from "./at_once.ts";

/** The record of a key with its digest. */
export interface StoredKey {
  readonly record: KeyRecord;
  /** Version of the pepper, a dot, and the hexadecimal HMAC-SHA-256 of the whole key under it. */
  readonly digest: string;
}

/** The selection of a page of keys. */
export interface KeyQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** @default {false} */
  readonly oldestFirst?: boolean | undefined;
  readonly walletId?: string | undefined;
  /** A text in the name, the hint or the id, regardless of case. */
  readonly text?: string | undefined;
  /** Leaves out the keys for which it returns false. */
  readonly accepts?: ((record: KeyRecord) => boolean) | undefined;
}

/** A page of keys. */
export interface KeyPage {
  /** Fewer than the limit, or none, where the search was cut short: then there is a cursor. */
  readonly keys: readonly StoredKey[];
  /** Cursor of the next page; absent on the last. */
  readonly cursor?: string | undefined;
}

/** A store of API keys. A write is visible to the next read. */
export interface KeyStore {
  /**
   * Grows when this process created a key or may have created one, and within a second when another
   * did: a list that was read at a lower number may lack one.
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
  /** Returns the record of a key, at once if it is in memory. */
  get(id: string): AtOnce<KeyRecord | undefined>;
  /** Returns a key as it is stored, for lists: reading it is no use of it. */
  getStored(id: string): Promise<StoredKey | undefined>;
  /** True when a key of any status, also a revoked one, has one of the digests. */
  hasDigest(...digests: string[]): Promise<boolean>;
  /** Returns a page of the keys, newest first unless the query says otherwise. */
  page(query: KeyQuery): Promise<KeyPage>;
  /** Returns the number of keys of any status. */
  count(): number;
  /** Yields every key, in any order, and yields to the event loop in between. */
  all(): AsyncIterable<StoredKey>;
  /** Yields the keys of a wallet, newest first. */
  ofWallet(walletId: string): AsyncIterable<KeyRecord>;
  /** Yields the keys that replace a key in a rotation, newest first. */
  copiesOf(id: string): AsyncIterable<KeyRecord>;
  /** Yields the keys whose digests were made with a version of the pepper, in any order. */
  underPepper(version: number): AsyncIterable<KeyRecord>;
  /**
   * Stores a key. Returns false, without a change, if the id exists, or the digest belongs to an
   * active key.
   */
  create(key: StoredKey, options?: Noted<KeyRecord>): Promise<boolean>;
  /**
   * Replaces the record by the result of `change`, atomically. Resolves to `undefined` if there is
   * no such key; `change` may return its argument to change nothing.
   */
  update(
    id: string,
    change: (record: KeyRecord) => KeyRecord,
    options?: Noted<KeyRecord>,
  ): Promise<KeyRecord | undefined>;
  /**
   * Stores a key under another digest, atomically: at any time it can be read under one of the two.
   * Returns false, without a change, if it is not stored under `from`.
   */
  move(id: string, digests: { readonly from: string; readonly to: string }): Promise<boolean>;
}
