/**
 * Rows of values that expire: an entry, chunks, other names, and a row that finds them when they
 * expire.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { MAX_VALUE_BYTES, VALUE_COMMIT_BYTES, VALUE_COMMIT_ROWS } from "../limits.ts";
import { bytesOf, keyPart, type Row, textOf } from "../rows.ts";

/** Description of a value without its content. */
export interface ValueEntry {
  /** Size of all chunks in bytes: the other names as JSON, then the content. */
  readonly size: number;
  /** Number of other names. */
  readonly aliases: number;
  /** Size of the other names as JSON, in bytes. */
  readonly aliasBytes: number;
  readonly expiresAtMs: number;
  readonly about: string;
}

/** One stored copy of a value: each write under the same name has its own rows. */
export interface ValueCopy {
  /** Parts of keys. */
  readonly name: readonly Deno.KvKeyPart[];
  /** Unique id; later ones are greater. */
  readonly id: string;
  readonly entry: ValueEntry;
}

/** Approximate size of the row of another name, in bytes. */
const ALIAS_ROW_BYTES = 200;
/** Weight of key bytes: a commit may have ten times as many bytes of values as of keys. */
const KEY_WEIGHT = 10;

/** Returns the stored size of a copy, in bytes. */
export function storedBytes({ size, aliases }: ValueEntry): number {
  return size + aliases * ALIAS_ROW_BYTES;
}

/** Encodes the names besides a value's own, as they precede its content. */
export function encodeAliases(aliases: readonly string[]): Uint8Array {
  return aliases.length === 0 ? new Uint8Array() : encodeJson(aliases);
}

/** Decodes the other names. */
export function decodeAliases(chunks: Uint8Array, { aliasBytes }: ValueEntry): string[] {
  if (aliasBytes === 0) return [];
  return JSON.parse(textOf(chunks.subarray(0, aliasBytes))) as string[];
}

/** Decodes the description of a value from its row. */
export function decodeEntry(value: Uint8Array): ValueEntry {
  return JSON.parse(textOf(value)) as ValueEntry;
}

/** Keys and rows of the values of one store. */
export class ValueRows {
  readonly #prefix: string;

  /** All keys begin with the prefix. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Prefix of the entries of all copies of a name, older ones first. */
  entriesOf(name: readonly string[]): Deno.KvKey {
    return [this.#prefix, ...name.map(keyPart)];
  }

  /** Returns the key of the row that makes a copy visible. */
  entryKey({ name, id }: Omit<ValueCopy, "entry">): Deno.KvKey {
    return [this.#prefix, ...name, id];
  }

  /** Prefix of the expiry rows of all values. */
  get expiries(): Deno.KvKey {
    return [`${this.#prefix}_expiry`];
  }

  /** Returns the key of the row that finds a copy when it expires. */
  expiryKey({ name, id, entry }: ValueCopy): Deno.KvKey {
    return [...this.expiries, entry.expiresAtMs, ...name, id];
  }

  /** Returns the copy that such a key leads to. */
  expiring(key: Deno.KvKey): Omit<ValueCopy, "entry"> {
    return { name: key.slice(2, -1), id: String(key.at(-1)) };
  }

  /** Prefix of the rows that lead from another name to copies, older ones first. */
  aliasesOf(scope: readonly Deno.KvKeyPart[], alias: string): Deno.KvKey {
    return [`${this.#prefix}_alias`, ...scope, keyPart(alias)];
  }

  /** Returns the key of the row that leads from another name to a copy. */
  aliasKey({ name, id }: ValueCopy, alias: string): Deno.KvKey {
    return [...this.aliasesOf(name.slice(0, -1), alias), id];
  }

  /** Returns the copy that a row of another name leads to. */
  aliased({ key, value }: Deno.KvEntry<Uint8Array>): Omit<ValueCopy, "entry"> {
    return { name: JSON.parse(textOf(value)) as Deno.KvKeyPart[], id: String(key.at(-1)) };
  }

  /** Returns the keys of the chunks, or of those with the first bytes. */
  chunkKeys({ name, id, entry }: ValueCopy, bytes = entry.size): Deno.KvKey[] {
    const length = Math.ceil(bytes / MAX_VALUE_BYTES);
    return Array.from({ length }, (_, index) => [`${this.#prefix}_chunk`, ...name, id, index]);
  }

  /** Returns the copy in a row whose key ends with its name and id. */
  copyOf({ key, value }: Deno.KvEntry<Uint8Array>): ValueCopy {
    const prefixParts = key[0] === this.#prefix ? 1 : 2;
    return { name: key.slice(prefixParts, -1), id: String(key.at(-1)), entry: decodeEntry(value) };
  }

  /** Yields all rows of a copy before its entry, in order. */
  *before(
    copy: ValueCopy,
    parts: { chunks: Uint8Array; aliases: Iterable<string> },
  ): Iterable<Row> {
    yield rowOf(this.expiryKey(copy), encodeJson(copy.entry));
    for (const [index, key] of this.chunkKeys(copy).entries()) {
      const start = index * MAX_VALUE_BYTES;
      yield rowOf(key, parts.chunks.slice(start, start + MAX_VALUE_BYTES));
    }
    const name = encodeJson(copy.name);
    for (const alias of parts.aliases) yield rowOf(this.aliasKey(copy, alias), name);
  }

  /** Returns the entry. */
  entry(copy: ValueCopy): Row {
    return rowOf(this.entryKey(copy), encodeJson(copy.entry));
  }

  /** Returns the row that deletes the entry. */
  entryGone(copy: ValueCopy): Row {
    return rowOf(this.entryKey(copy));
  }

  /** Yields the rows that delete a copy, in order. */
  *gone(copy: ValueCopy, aliases: Iterable<string>): Iterable<Row> {
    yield this.entryGone(copy);
    for (const alias of aliases) yield rowOf(this.aliasKey(copy, alias));
    for (const key of this.chunkKeys(copy)) yield rowOf(key);
    yield rowOf(this.expiryKey(copy));
  }
}

function encodeJson(value: unknown): Uint8Array {
  return bytesOf(JSON.stringify(value));
}

/** Returns a row whose size includes its key, weighted. */
function rowOf(key: Deno.KvKey, value?: Uint8Array): Row {
  const keyBytes = Buffer.byteLength(key.join());
  return { key, value, bytes: (value?.length ?? 0) + KEY_WEIGHT * keyBytes };
}

/** Yields rows in commits that others may join; those of `last` stay together, in the last one. */
export function* inCommits(
  rows: Iterable<Row>,
  last: readonly Row[] = [],
): Generator<readonly Row[]> {
  let commit: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (commit.length === VALUE_COMMIT_ROWS || bytes + row.bytes > VALUE_COMMIT_BYTES) {
      yield commit;
      commit = [];
      bytes = 0;
    }
    commit.push(row);
    bytes += row.bytes;
  }
  yield [...commit, ...last];
}
