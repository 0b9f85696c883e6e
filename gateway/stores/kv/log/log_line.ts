import { Buffer } from "node:buffer";
import type { RequestRecord } from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { MAX_LINE_BYTES } from "../limits.ts";
import { textOf } from "../rows.ts";
import type { Line } from "../segment.ts";

/** Fields omitted from a row that is too long, in this order. */
const PARTS: readonly Partial<RequestRecord>[] = [
  { words: undefined },
  { content: undefined },
  { exclusions: undefined, routing: undefined, tasks: undefined, others: undefined },
];

/** A record with its JSON. */
export interface EncodedRecord {
  readonly record: RequestRecord;
  readonly text: string;
  /** Length of the JSON in UTF-8. */
  readonly bytes: number;
}

/** Encodes a record. One that exceeds a row loses its longest parts, and may still be too long. */
export function encodeRecord(complete: RequestRecord): EncodedRecord {
  let record = complete;
  let text = JSON.stringify(record);
  let bytes = Buffer.byteLength(text);
  for (const part of PARTS) {
    if (bytes <= MAX_LINE_BYTES) break;
    record = { ...record, ...part };
    text = JSON.stringify(record);
    bytes = Buffer.byteLength(text);
  }
  return { record, text, bytes };
}

/**
 * Encodes a record as a line of the log. A record that exceeds a row loses its longest parts;
 * throws a {@linkcode StoreError} when it is still too long.
 */
export function logLine(complete: RequestRecord): Line {
  const { record, text, bytes } = encodeRecord(complete);
  if (bytes > MAX_LINE_BYTES) {
    throw new StoreError(`Cannot log request "${record.id}": its row is ${bytes} bytes`);
  }
  return { text, bytes, atMs: record.atMs, id: record.id, record };
}

/** Decodes a row stored for the case that the gateway dies. */
export function killedRowOf(value: Uint8Array): RequestRecord {
  return decodeRecord(textOf(value));
}

/** Decodes a line. */
export function decodeRecord(line: string): RequestRecord {
  return JSON.parse(line) as RequestRecord;
}
