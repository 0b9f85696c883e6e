/**
 * Keys and values of the rows.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** A row to set, or to delete when it has no value. */
export interface Row {
  readonly key: Deno.KvKey;
  readonly value?: unknown;
  /** Approximate size of the value. */
  readonly bytes: number;
}

/** The end of a chain of segments. */
export interface Tail {
  /** Number of the last segment; 0 before the first. */
  readonly segment: number;
  /** Its SHA-256, hexadecimal. */
  readonly hash: string;
  /** Lines in the chain, deleted ones included. */
  readonly total: number;
  /** Latest time of any line so far, Unix milliseconds. */
  readonly atMs: number;
  /** Greatest id of any line so far. */
  readonly maxId: string;
}

/**
 * The row that names the only writer and the end of the segments. It is set together with the fence,
 * by a start and by each fold; every commit checks the fence.
 */
export interface Head {
  /** Version of the layout of rows. */
  readonly schema: number;
  /** Version before a migration that has begun and not ended. */
  readonly migratingFrom?: number;
  /** Version of the service that wrote last; absent from stores of older services. */
  readonly writtenBy?: string;
  /** Id of the writer, new on every start. */
  readonly session: string;
  /** Number of the last commit in this row, the segments, and the rows of wallets and keys. */
  readonly commit: number;
  /** Number of commit rows ever written, by size: none of them may be missing. */
  readonly slots?: readonly number[] | undefined;
  readonly journal: Tail;
  readonly log: Tail;
}

/** Pointer to the newest list of open holds. */
export interface Checkpoint {
  /** Journal segment after which the list was made. */
  readonly segment: number;
  readonly chunks: number;
}

/** Key of the head row. */
export const HEAD_KEY: Deno.KvKey = ["writer"];
/**
 * Key of the row that is written with the head and checked in its place: it is next to the rows of
 * single commits, and SQLite finds it through pages and rows that these need as well.
 */
export const FENCE_KEY: Deno.KvKey = ["commit_fence"];
/** Key of the row with the numbers of wallets and keys. */
export const COUNTS_KEY: Deno.KvKey = ["counts"];
/**
 * Prefix of the commits after the last fold; the rest of the key is the number of the row's size and
 * of the row among those of that size, both from 0.
 */
export const COMMIT_ROWS: Deno.KvKey = ["commit"];
/** Prefix of the entries of the audit log; the rest of the key is the place. */
export const TRAIL_ENTRIES: Deno.KvKey = ["audit_trail"];
/** Key of the row with the end of the audit log. */
export const TRAIL_HEAD: Deno.KvKey = ["audit_trail_head"];
/** Key of the row that tests whether the store is writable. */
export const PROBE_KEY: Deno.KvKey = ["probe"];
/** Key of the pointer to the newest list of open holds. */
export const CHECKPOINT_KEY: Deno.KvKey = ["checkpoint"];
/** Prefix of a list's chunks. */
export const CHECKPOINT_CHUNKS: Deno.KvKey = ["checkpoint_chunk"];

/** Prefix of the log rows that requests get if the gateway dies before their own are written. */
export const KILLED_ROWS: Deno.KvKey = ["killed_row"];

/** Returns the rows of a head and its fence. */
export function headRows(head: Head): Row[] {
  return [
    { key: HEAD_KEY, value: head, bytes: 0 },
    { key: FENCE_KEY, value: head.session, bytes: 0 },
  ];
}

/**
 * Returns the key of such a row, by the id of the log row: it exists from the first known charge
 * until the row itself.
 */
export function killedRowKey(logId: string): Deno.KvKey {
  return [...KILLED_ROWS, keyPart(logId)];
}

const MAX_KEY_CHARS = 256;

/**
 * Returns an id as part of a key. Ill-formed and long ids are hashed: Deno KV would write all lone
 * surrogates alike, so that two ids became one.
 */
export function keyPart(id: string): string {
  const plain = id.length <= MAX_KEY_CHARS && id.isWellFormed() && !id.startsWith("#");
  return plain ? id : `#${createHash("sha256").update(JSON.stringify(id)).digest("hex")}`;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns a row with JSON as bytes, so that its size is known. */
export function jsonRow(key: Deno.KvKey, value: unknown): Row & { value: Uint8Array } {
  const bytes = encoder.encode(JSON.stringify(value));
  return { key, value: bytes, bytes: bytes.length };
}

/** Decodes the text of a row. */
export function textOf(value: Uint8Array): string {
  return decoder.decode(value);
}

/** Encodes a text. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}
