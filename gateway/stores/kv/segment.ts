/**
 * Append-only texts in rows: the journal and the request log. A segment is a header and lines, all
 * JSON; segments are numbered without gaps, and each contains the SHA-256 of the one before.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { RequestRecord } from "../../ports/request_log.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_SEGMENT_BYTES } from "./limits.ts";
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

/** A row that stores a segment. */
export interface EncodedSegment extends Row {
  readonly value: Uint8Array;
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
): { tail: Tail; rows: EncodedSegment[]; placed: PlacedLines[] } {
  const rows: EncodedSegment[] = [];
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

/** Returns the SHA-256, hexadecimal; that of a text in UTF-8. */
export function sha256(value: Uint8Array | string): string {
  return hash("sha256", value);
}
