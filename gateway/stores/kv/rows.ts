/**
 * Keys and values of the rows.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** A row to set, or to delete where it has no value. */
export interface Row {
  readonly key: Deno.KvKey;
  readonly value?: unknown;
  /** About as large as the value is. */
  readonly bytes: number;
}

/** Where a chain of segments ends. */
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

/** The row that names the one writer and where its journal ends; checked and set in every commit. */
export interface Head {
  /** Version of the layout of rows. */
  readonly schema: number;
  /** The version that the rows still have in part: a migration was begun and has not ended. */
  readonly migratingFrom?: number;
  /** Version of the service that wrote last; stores of before it was kept have none. */
  readonly writtenBy?: string;
  /** The writer's own id, new on every start. */
  readonly session: string;
  /** Counts the commits of a session: tells whether one in doubt has landed. */
  readonly commit: number;
  readonly journal: Tail;
  readonly log: Tail;
}

/** Points to the newest list of open holds. */
export interface Checkpoint {
  /** The journal segment that the list was made after. */
  readonly segment: number;
  readonly chunks: number;
}

/** Keys of single rows. */
export const HEAD_KEY: Deno.KvKey = ["writer"];
/** Key of the row that is written to find out whether anything can be. */
export const PROBE_KEY: Deno.KvKey = ["probe"];
/** Key of the pointer to the newest checkpoint. */
export const CHECKPOINT_KEY: Deno.KvKey = ["checkpoint"];
/** Prefix of a checkpoint's chunks. */
export const CHECKPOINT_CHUNKS: Deno.KvKey = ["checkpoint_chunk"];

/** Prefix of the log rows that requests get where the gateway dies before they have their own. */
export const KILLED_ROWS: Deno.KvKey = ["killed_row"];

/** Key of such a row, by its own id: there from the first that is known of a charge to the row itself. */
export function killedRowKey(logId: string): Deno.KvKey {
  return [...KILLED_ROWS, keyPart(logId)];
}

const MAX_KEY_CHARS = 256;

/**
 * An id as part of a key. Ill-formed and long ids are hashed: Deno KV would write all lone surrogates
 * alike, so that two ids became one.
 */
export function keyPart(id: string): string {
  const plain = id.length <= MAX_KEY_CHARS && id.isWellFormed() && !id.startsWith("#");
  return plain ? id : `#${createHash("sha256").update(JSON.stringify(id)).digest("hex")}`;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A row that holds JSON as bytes, so that its size is known. */
export function jsonRow(key: Deno.KvKey, value: unknown): Row & { value: Uint8Array } {
  const bytes = encoder.encode(JSON.stringify(value));
  return { key, value: bytes, bytes: bytes.length };
}

/** Text of a row that was written as bytes. */
export function textOf(value: Uint8Array): string {
  return decoder.decode(value);
}

/** Bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}
