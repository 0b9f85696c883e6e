import { Buffer } from "node:buffer";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { MAX_SEGMENT_BYTES } from "../limits.ts";
import { textOf } from "../rows.ts";
import type { Line } from "../segment.ts";

/** Fields that are left out of a row that is too long, in this order. */
const PARTS: readonly Partial<RequestRecord>[] = [
  { words: undefined },
  { content: undefined },
  { exclusions: undefined, routing: undefined, tasks: undefined, others: undefined },
];

/**
 * A record as a line of the log. One that is longer than a row goes without its longest parts; throws
 * a {@linkcode StoreError} where it is too long even so.
 */
export function logLine(given: RequestRecord): Line {
  let record = given;
  let text = JSON.stringify(record);
  let bytes = Buffer.byteLength(text);
  for (const part of PARTS) {
    if (bytes <= MAX_SEGMENT_BYTES) break;
    record = { ...record, ...part };
    text = JSON.stringify(record);
    bytes = Buffer.byteLength(text);
  }
  if (bytes > MAX_SEGMENT_BYTES) {
    throw new StoreError(`Cannot log request "${record.id}": its row is ${bytes} bytes`);
  }
  return { text, bytes, atMs: record.atMs, id: record.id, record };
}

/** Reads a row that is kept for a death of the gateway. */
export function killedRowOf(value: Uint8Array): RequestRecord {
  return decodeRecord(textOf(value));
}

/** Reads a line. */
export function decodeRecord(line: string): RequestRecord {
  return JSON.parse(line) as RequestRecord;
}
