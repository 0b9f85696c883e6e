/**
 * Contents of a backup, record after record: rows of the store's tables, and the credentials beside
 * it. A record is a list of SQLite values.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** A value of a row; integers are always `bigint`. */
export type Value = null | bigint | string | Uint8Array;

/** The kind of a record, then its values. */
export type BackupRecord = readonly [kind: string, ...values: Value[]];

const NULL = 0;
const INTEGER = 1;
const TEXT = 2;
const BYTES = 3;
/** Maximum number of values in a record. */
const MAX_VALUES = 64;

/** Encodes a record. */
export function encodeRecord(record: BackupRecord): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(record.length)];
  for (const value of record) parts.push(...encodeValue(value));
  return Buffer.concat(parts);
}

function encodeValue(value: Value): Uint8Array[] {
  if (value === null) return [Uint8Array.of(NULL)];
  if (typeof value === "bigint") {
    const bytes = Buffer.alloc(9);
    bytes[0] = INTEGER;
    bytes.writeBigInt64BE(value, 1);
    return [bytes];
  }
  const content = typeof value === "string" ? Buffer.from(value) : value;
  const head = Buffer.alloc(5);
  head[0] = typeof value === "string" ? TEXT : BYTES;
  head.writeUInt32BE(content.length, 1);
  return [head, content];
}

/**
 * Yields the records of a frame. Throws a `RangeError` when the frame is malformed or ends within a
 * record.
 */
export function* decodeRecords(frame: Uint8Array): Generator<BackupRecord> {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const count = bytes.readUInt8(at++);
    if (count === 0 || count > MAX_VALUES) throw new RangeError(`A record of ${count} values`);
    const values: Value[] = [];
    for (let n = 0; n < count; n++) {
      const { value, next } = decodeValue(bytes, at);
      values.push(value);
      at = next;
    }
    const [kind, ...rest] = values;
    if (typeof kind !== "string") throw new RangeError("A record without a name");
    yield [kind, ...rest];
  }
}

function decodeValue(bytes: Buffer, at: number): { value: Value; next: number } {
  const tag = bytes.readUInt8(at);
  if (tag === NULL) return { value: null, next: at + 1 };
  if (tag === INTEGER) return { value: bytes.readBigInt64BE(at + 1), next: at + 9 };
  if (tag !== TEXT && tag !== BYTES) throw new RangeError(`A value of the unknown type ${tag}`);
  const start = at + 5;
  const next = start + bytes.readUInt32BE(at + 1);
  if (next > bytes.length) throw new RangeError("A value beyond its frame");
  const content = bytes.subarray(start, next);
  return { value: tag === TEXT ? content.toString() : content, next };
}
