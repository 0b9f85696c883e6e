/**
 * Append-only texts in rows: the journal and the request log. A segment is a header and lines, all
 * JSON; segments are numbered without gaps, and each contains the SHA-256 of the one before.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { RequestRecord } from "../../ports/request_log.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_SEGMENT_BYTES, READ_AHEAD_SEGMENTS } from "./limits.ts";
import { read } from "./read.ts";
import { bytesOf, type Row, type Tail, textOf } from "./rows.ts";

/** A chain without segments. */
export const EMPTY_TAIL: Tail = { segment: 0, hash: "", total: 0, atMs: 0, maxId: "" };

/** One line to append. */
export interface Line {
  /** The record, for a row of the request log. */
  readonly record?: RequestRecord | undefined;
  readonly text: string;
  readonly bytes: number;
  readonly atMs: number;
  /** Time-ordered; empty for lines that are not looked up by id. */
  readonly id: string;
}

/** A decoded segment. `hash` of the header is that of the segment before. */
export interface Segment {
  readonly header: Tail;
  readonly lines: readonly string[];
  /** Returns the SHA-256 of this segment, hexadecimal. */
  readonly hash: () => string;
}

/** Lines of one segment. */
export interface PlacedLines {
  readonly segment: number;
  readonly lines: readonly Line[];
}

/** Returns the rows that append lines to a chain, the positions of the lines, and the new end. */
export function appendLines(
  tail: Tail,
  lines: readonly Line[],
  chain: string,
): { tail: Tail; rows: Row[]; placed: PlacedLines[] } {
  const rows: Row[] = [];
  const placed: PlacedLines[] = [];
  let from = 0;
  while (from < lines.length) {
    const first = from;
    let { total, atMs, maxId } = tail;
    let body = "";
    let bytes = 0;
    let line = lines[from];
    while (line !== undefined && (bytes === 0 || bytes + line.bytes < MAX_SEGMENT_BYTES)) {
      body += "\n" + line.text;
      bytes += line.bytes + 1;
      total++;
      if (line.atMs > atMs) atMs = line.atMs;
      if (line.id > maxId) maxId = line.id;
      line = lines[++from];
    }
    const segment = tail.segment + 1;
    const header: Tail = { segment, hash: tail.hash, total, atMs, maxId };
    const value = bytesOf(JSON.stringify(header) + body);
    rows.push({ key: [chain, segment], value, bytes: value.length });
    placed.push({ segment, lines: lines.slice(first, from) });
    tail = { ...header, hash: sha256(value) };
  }
  return { tail, rows, placed };
}

/** Yields the segments from number `from` to `to` inclusive, in either direction. */
export async function* readSegments(
  kv: Deno.Kv,
  chain: string,
  range: { from: number; to: number; reverse?: boolean },
): AsyncGenerator<Segment> {
  const rows = kv.list<Uint8Array>(
    { start: [chain, range.from], end: [chain, range.to + 1] },
    { reverse: range.reverse ?? false, batchSize: READ_AHEAD_SEGMENTS },
  );
  try {
    for await (const { value } of rows) yield decodeSegment(value);
  } catch (cause) {
    throw new StoreError(`Cannot read the ${chain}`, { cause });
  }
}

/** Reads one segment. */
export async function readSegment(
  kv: Deno.Kv,
  chain: string,
  segment: number,
): Promise<Segment | undefined> {
  const { value } = await read(kv.get<Uint8Array>([chain, segment]));
  return value === null ? undefined : decodeSegment(value);
}

/** Returns the number of the oldest stored segment; 0 for an empty chain. */
export async function oldestSegment(kv: Deno.Kv, chain: string): Promise<number> {
  for await (const { key } of kv.list({ prefix: [chain] }, { limit: 1 })) return Number(key[1]);
  return 0;
}

/**
 * Returns the number of the first segment whose header satisfies `reached`, by bisection: greatest
 * time and id never fall from one segment to the next. One beyond the last if none does.
 */
export async function firstSegment(
  kv: Deno.Kv,
  chain: { name: string; last: number },
  reached: (header: Tail) => boolean,
): Promise<number> {
  let low = await oldestSegment(kv, chain.name);
  if (low === 0) return chain.last + 1;
  let high = chain.last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const segment = await readSegment(kv, chain.name, middle);
    // A missing segment was deleted for its age meanwhile.
    if (segment !== undefined && reached(segment.header)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Decodes a segment's row.
 *
 * @throws {StoreError} When its header is damaged.
 */
export function decodeSegment(value: Uint8Array): Segment {
  const [header = "", ...lines] = textOf(value).split("\n");
  try {
    return { header: JSON.parse(header) as Tail, lines, hash: () => sha256(value) };
  } catch (cause) {
    throw new StoreError("Cannot read a segment: its header is damaged", { cause, isDamage: true });
  }
}

/** Returns the SHA-256, hexadecimal. */
export function sha256(value: Uint8Array): string {
  return createHash("sha256").update(value).digest("hex");
}
