/**
 * Rows of the commits since the last fold. A row is a hash, a header and the lines that its commit
 * appended: to the journal first, then to the request log. Each row contains the hash of the one
 * before, the first that of the last journal segment. Spaces fill it up to one of a few sizes.
 *
 * @module
 */

import { invariant } from "../../../domain/invariant.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { decodeEntry } from "../journal/journal_codec.ts";
import { COMMIT_ROW_SIZES } from "../limits.ts";
import { decodeRecord } from "../log/log_line.ts";
import { bytesOf, COMMIT_ROWS, textOf } from "../rows.ts";
import { type Line, sha256 } from "../segment.ts";

/** Header of a row. */
interface Header {
  /** Number of the commit, without gaps. */
  readonly commit: number;
  /** Hash of the row before. */
  readonly previous: string;
  /** Number of its lines that belong to the journal. */
  readonly journal: number;
}

/** A decoded row. */
export interface CommitRow extends Header {
  /** SHA-256 of the rest of the row, without the filling, hexadecimal. */
  readonly hash: string;
  readonly lines: readonly string[];
}

/** Place of a row: its size, by number, and its number among the rows of that size. */
export interface Slot {
  readonly size: number;
  readonly index: number;
}

const HASH_CHARS = 64;
const SPACE = 0x20;
const ENCODER = new TextEncoder();

/** Returns the key of a slot. */
export function commitKey({ size, index }: Slot): Deno.KvKey {
  return [...COMMIT_ROWS, size, index];
}

/** Encodes a commit; `size` is the number of the row's size. */
export function encodeCommit(
  { commit, previous }: Pick<Header, "commit" | "previous">,
  { journal, log }: { readonly journal: readonly Line[]; readonly log: readonly Line[] },
): { readonly value: Uint8Array; readonly hash: string; readonly size: number } {
  const header: Header = { commit, previous, journal: journal.length };
  let text = JSON.stringify(header);
  let bytes = HASH_CHARS + 1 + text.length;
  for (const line of [...journal, ...log]) {
    text += "\n" + line.text;
    bytes += line.bytes + 1;
  }
  const hash = sha256(text);
  const fitting = COMMIT_ROW_SIZES.findIndex((size) => bytes <= size);
  const size = fitting < 0 ? COMMIT_ROW_SIZES.length : fitting;
  const value = new Uint8Array(COMMIT_ROW_SIZES[size] ?? bytes);
  const { written } = ENCODER.encodeInto(`${hash}\n${text}`, value);
  invariant(written === bytes, "the row of a commit has the size of its lines");
  return { value: value.fill(SPACE, bytes), hash, size };
}

/**
 * Decodes a row.
 *
 * @throws {StoreError} When it is not as it was written.
 */
export function decodeCommit(value: unknown): CommitRow {
  try {
    if (!(value instanceof Uint8Array)) throw new TypeError("The value is no bytes");
    const text = textOf(value);
    const hash = text.slice(0, HASH_CHARS);
    const rest = text.slice(HASH_CHARS + 1).trimEnd();
    if (sha256(rest) !== hash) throw new TypeError("The hash is another one");
    const [header = "", ...lines] = rest.split("\n");
    return { ...JSON.parse(header) as Header, hash, lines };
  } catch (cause) {
    throw new StoreError("Cannot read a commit: its row is damaged", { cause, isDamage: true });
  }
}

/** Returns the lines of a row by chain. */
export function linesOf(
  { journal, lines }: CommitRow,
): { readonly journal: Line[]; readonly log: Line[] } {
  const bytes = (text: string) => bytesOf(text).length;
  return {
    journal: lines.slice(0, journal).map((text) => {
      return { text, bytes: bytes(text), atMs: decodeEntry(text).at, id: "" };
    }),
    log: lines.slice(journal).map((text) => {
      const record = decodeRecord(text);
      return { text, bytes: bytes(text), atMs: record.atMs, id: record.id, record };
    }),
  };
}
