/**
 * The file of a backup: a header, then frames of records, each compressed and sealed. The last
 * frame is marked under its seal, so that a truncated file is recognised.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { BackupError } from "./backup_error.ts";
import { decodeHeader, type Header, MAGIC, MAX_HEADER_BYTES } from "./header.ts";
import { type BackupRecord, decodeRecords, encodeRecord } from "./records.ts";
import type { Seal } from "./seal.ts";

/** Size of records at which a frame is closed, in bytes. */
const FRAME_BYTES = 1024 * 1024;
/** Maximum size of a frame that is read, sealed or not: one record may come on top. */
const MAX_FRAME_BYTES = 4 * FRAME_BYTES;
const LAST = 0x8000_0000;
const FAST = { level: constants.Z_BEST_SPEED };

const DAMAGED = "The backup is damaged";

/** Seals records, one frame at a time. */
export class ArchiveWriter {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #seal: Seal;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #index = 0;

  /** Expects the header to be written already. */
  constructor(write: (bytes: Uint8Array) => void, seal: Seal) {
    this.#write = write;
    this.#seal = seal;
  }

  /** Adds a record. Returns true after a frame was written. */
  add(record: BackupRecord): boolean {
    const bytes = encodeRecord(record);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < FRAME_BYTES) return false;
    this.#flush(false);
    return true;
  }

  /** Writes the last frame. */
  end(): void {
    this.#flush(true);
  }

  #flush(isLast: boolean): void {
    const packed = deflateRawSync(Buffer.concat(this.#waiting), FAST);
    const sealed = this.#seal.close(packed, { index: this.#index++, isLast });
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, (isLast ? LAST : 0) + sealed.length);
    this.#write(head);
    this.#write(sealed);
    this.#waiting = [];
    this.#bytes = 0;
  }
}

/** Reads a backup. */
export class ArchiveReader {
  readonly #input: ByteReader;

  constructor(file: Deno.FsFile) {
    this.#input = new ByteReader(file);
  }

  /** Returns the header, decoded and as bytes. Must be called first. */
  async header(): Promise<{ header: Header; bytes: Uint8Array }> {
    const magic = await this.#input.take(MAGIC.length);
    if (magic === undefined || new TextDecoder().decode(magic) !== MAGIC) {
      throw new BackupError("This file is no backup of svc");
    }
    const line = await this.#input.takeLine(MAX_HEADER_BYTES);
    if (line === undefined) throw new BackupError(`${DAMAGED}: its header has no end`);
    const header = decodeHeader(new TextDecoder().decode(line));
    return { header, bytes: Buffer.concat([magic, line]) };
  }

  /**
   * Yields the records of one frame after another.
   *
   * @throws {BackupError} When a frame was changed, is missing, or has another passphrase.
   */
  async *frames(seal: Seal, wrongKey: string): AsyncGenerator<Iterable<BackupRecord>> {
    for (let index = 0;; index++) {
      const head = await this.#input.take(4);
      if (head === undefined) throw new BackupError(`${DAMAGED}: it ends too soon`);
      const word = new DataView(head.buffer, head.byteOffset).getUint32(0);
      const isLast = word >= LAST;
      const length = isLast ? word - LAST : word;
      const sealed = length > MAX_FRAME_BYTES ? undefined : await this.#input.take(length);
      if (sealed === undefined) throw new BackupError(`${DAMAGED}: it ends too soon`);
      const packed = seal.open(sealed, { index, isLast });
      if (packed === undefined) {
        throw new BackupError(index === 0 ? wrongKey : `${DAMAGED}: frame ${index} was changed`);
      }
      yield recordsOf(packed, index);
      if (!isLast) continue;
      if (await this.#input.take(1) === undefined) return;
      throw new BackupError(`${DAMAGED}: something follows its end`);
    }
  }
}

function recordsOf(packed: Uint8Array, index: number): BackupRecord[] {
  try {
    return [...decodeRecords(inflateRawSync(packed, { maxOutputLength: MAX_FRAME_BYTES }))];
  } catch (cause) {
    throw new BackupError(`${DAMAGED}: frame ${index} cannot be read`, { cause });
  }
}

/** Reads a file by numbers of bytes. */
class ByteReader {
  readonly #file: Deno.FsFile;

  constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Returns the next bytes; `undefined` when the file ends before. */
  async take(length: number): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length;) {
      const readBytes = await this.#file.read(bytes.subarray(at));
      if (readBytes === null) return undefined;
      at += readBytes;
    }
    return bytes;
  }

  /** Returns the bytes up to the end of a line, inclusive. */
  async takeLine(atMost: number): Promise<Uint8Array | undefined> {
    const bytes: number[] = [];
    while (bytes.length < atMost) {
      const [byte] = await this.take(1) ?? [];
      if (byte === undefined) return undefined;
      bytes.push(byte);
      if (byte === 0x0a) return Uint8Array.from(bytes);
    }
    return undefined;
  }
}
