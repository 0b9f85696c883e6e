import type {
  CallerFile,
  CallerFileStore,
  FileFinished,
  FileRange,
  FileRoom,
} from "../../../ports/file_store.ts";
import { eachRow } from "../each_row.ts";
import type { Writer } from "../journal/writer.ts";
import { MAX_CALLER_FILES_BYTES, MAX_VALUE_BYTES, SEGMENTS_DELETED } from "../limits.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, type Row, textOf } from "../rows.ts";

/** Retention of callers' files. */
export interface CallerFileRetention {
  /** Maximum size of the files of all owners, in bytes. @default {4294967296} */
  readonly maxBytes?: number | undefined;
}

const FILE = "caller_file";
const PART = "caller_file_part";
const UPLOAD = "caller_file_upload";

/** An upload that is not finished, or a file that is being removed. */
interface Upload {
  readonly id: string;
  readonly startedAtMs: number;
}

/**
 * Files of callers in Deno KV. The row of the upload is written before its parts; the commit of the
 * file's own row deletes it, and the commit that removes the file writes it again: parts without a
 * file are found there.
 */
export class KvCallerFiles implements CallerFileStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #maxBytes: number;
  readonly #changing = new Mutex();
  /** Bytes of all files; counted when they are first needed. */
  #bytes: number | undefined;

  constructor(kv: Deno.Kv, writer: Writer, retention: CallerFileRetention = {}) {
    this.#kv = kv;
    this.#writer = writer;
    this.#maxBytes = retention.maxBytes ?? MAX_CALLER_FILES_BYTES;
  }

  async begin(id: string, startedAtMs: number): Promise<void> {
    await this.#writer.write([uploadRow({ id, startedAtMs })]);
  }

  async writePart(id: string, number: number, bytes: Uint8Array): Promise<void> {
    const rows: Row[] = [];
    for (let from = 0; from < bytes.length; from += MAX_VALUE_BYTES) {
      const value = bytes.slice(from, from + MAX_VALUE_BYTES);
      rows.push({ key: [PART, keyPart(id), number, rows.length], value, bytes: value.length });
    }
    await this.#writer.write(rows);
  }

  finish(file: CallerFile, { maxBytes, maxFiles }: FileRoom): Promise<FileFinished> {
    return this.#changing.run(async () => {
      if (!await this.#isUpload(file.id)) return "gone";
      const own = await this.list(file.ownerId);
      if (own.length >= maxFiles) return "too_many";
      const ownBytes = own.reduce((sum, { bytes }) => sum + bytes, file.bytes);
      if (ownBytes > maxBytes) return "too_large";
      const all = await this.#count();
      if (all + file.bytes > this.#maxBytes) return "full";
      await this.#writer.write([jsonRow(fileKey(file), file), {
        key: uploadKey(file.id),
        bytes: 0,
      }]);
      this.#bytes = all + file.bytes;
      return "stored";
    });
  }

  discard(id: string): Promise<void> {
    return this.#changing.run(async () => {
      if (await this.#isUpload(id)) await this.#deleteParts(id);
    });
  }

  async #isUpload(id: string): Promise<boolean> {
    return (await read(this.#kv.get(uploadKey(id)))).value !== null;
  }

  async #deleteParts(id: string): Promise<void> {
    const keys: Deno.KvKey[] = [];
    const rows = eachRow(this.#kv, { prefix: [PART, keyPart(id)] });
    for await (const { key } of rows) keys.push(key);
    for (let from = 0; from < keys.length; from += SEGMENTS_DELETED) {
      const some = keys.slice(from, from + SEGMENTS_DELETED);
      await this.#writer.write(some.map((key): Row => ({ key, bytes: 0 })));
    }
    await this.#writer.write([{ key: uploadKey(id), bytes: 0 }]);
  }

  async get(ownerId: string, id: string): Promise<CallerFile | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(fileKey({ ownerId, id })));
    return value === null ? undefined : decodeFile(value);
  }

  async list(ownerId: string): Promise<readonly CallerFile[]> {
    const prefix = [FILE, keyPart(ownerId)];
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>({ prefix })));
    return rows.map(({ value }) => decodeFile(value)).sort(byAge);
  }

  async page(
    ownerId: string,
    { order, after, before, limit }: FileRange,
  ): Promise<readonly CallerFile[]> {
    const isReverse = order === "desc";
    const [low, high] = isReverse ? [before, after] : [after, before];
    const prefix = [FILE, keyPart(ownerId)];
    const end = high === undefined ? undefined : fileKey({ ownerId, id: high });
    // A key with one part more comes next after the key.
    const start = low === undefined ? undefined : [...fileKey({ ownerId, id: low }), ""];
    const selector: Deno.KvListSelector = start !== undefined && end !== undefined
      ? { start, end }
      : start !== undefined
      ? { prefix, start }
      : end !== undefined
      ? { prefix, end }
      : { prefix };
    const files: CallerFile[] = [];
    const options = { reverse: isReverse, limit };
    if (start !== undefined && end !== undefined && (low ?? "") >= (high ?? "")) return files;
    for await (const { value } of eachRow<Uint8Array>(this.#kv, selector, options)) {
      files.push(decodeFile(value));
    }
    return files;
  }

  async *content({ id }: CallerFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    // A part at a time: no more of a file is in memory.
    for (let number = 0;; number++) {
      const prefix = [PART, keyPart(id), number];
      const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array<ArrayBuffer>>({ prefix })));
      if (rows.length === 0) return;
      for (const { value } of rows) yield value;
    }
  }

  remove(ownerId: string, id: string): Promise<boolean> {
    return this.#changing.run(async () => {
      const file = await this.get(ownerId, id);
      if (file === undefined) return false;
      const all = await this.#count();
      const gone: Row = { key: fileKey(file), bytes: 0 };
      await this.#writer.write([gone, uploadRow({ id, startedAtMs: 0 })]);
      this.#bytes = all - file.bytes;
      await this.#deleteParts(id);
      return true;
    });
  }

  async *all(): AsyncGenerator<CallerFile> {
    for await (const { value } of eachRow<Uint8Array>(this.#kv, { prefix: [FILE] })) {
      yield decodeFile(value);
    }
  }

  async sweepUploads(beforeMs: number): Promise<number> {
    let swept = 0;
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>({ prefix: [UPLOAD] })));
    for (const { value } of rows) {
      const { id, startedAtMs } = decodeUpload(value);
      if (startedAtMs >= beforeMs) continue;
      await this.discard(id);
      swept++;
    }
    return swept;
  }

  /** Resolves when no change is in progress. */
  async close(): Promise<void> {
    await this.#changing.run(() => Promise.resolve());
  }

  async #count(): Promise<number> {
    if (this.#bytes === undefined) {
      let sum = 0;
      for await (const { bytes } of this.all()) sum += bytes;
      this.#bytes = sum;
    }
    return this.#bytes;
  }
}

/** Compares files by age, oldest first. */
function byAge(one: CallerFile, other: CallerFile): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}

function fileKey({ ownerId, id }: Pick<CallerFile, "ownerId" | "id">): Deno.KvKey {
  return [FILE, keyPart(ownerId), keyPart(id)];
}

function uploadKey(id: string): Deno.KvKey {
  return [UPLOAD, keyPart(id)];
}

function uploadRow(upload: Upload): Row {
  return jsonRow(uploadKey(upload.id), upload);
}

function decodeFile(value: Uint8Array): CallerFile {
  return JSON.parse(textOf(value)) as CallerFile;
}

function decodeUpload(value: Uint8Array): Upload {
  return JSON.parse(textOf(value)) as Upload;
}
