import type { BlobStore, StoredBlob } from "../../ports/blob_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import {
  BLOB_BATCH_CHUNKS,
  BLOB_SWEEP_MS,
  MAX_BLOBS_BYTES,
  MAX_BLOBS_SWEPT,
  MAX_VALUE_BYTES,
} from "./limits.ts";
import { Mutex } from "./mutex.ts";
import { read } from "./read.ts";
import { jsonRow, keyPart, type Row, textOf } from "./rows.ts";
import type { Writer } from "./writer.ts";

/** What is known of a file besides its content. */
interface Entry {
  readonly id: string;
  readonly mediaType: string;
  readonly size: number;
  readonly expiresAtMs: number;
}

/** How much is kept. */
export interface BlobRetention {
  /** Bytes of all files together. @default {268435456} */
  readonly maxBytes?: number | undefined;
}

const READ_AT_ONCE = 10;

/**
 * Files in Deno KV, in chunks. The entry under `blob_expiry` is written first and deleted last, so
 * that whatever a crash leaves behind is found when it expires; the one under `blob` is written last
 * and deleted first, so that a file that can be found is whole.
 */
export class KvBlobStore implements BlobStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #nowMs: () => number;
  readonly #maxBytes: number;
  readonly #sweeping = new Mutex();
  #bytes = 0;
  #sweptAtMs = -Infinity;
  #closed = false;

  private constructor(
    kv: Deno.Kv,
    writer: Writer,
    options: { nowMs: () => number; retention?: BlobRetention | undefined },
  ) {
    this.#kv = kv;
    this.#writer = writer;
    this.#nowMs = options.nowMs;
    this.#maxBytes = options.retention?.maxBytes ?? MAX_BLOBS_BYTES;
  }

  /** Opens the store: adds up what is there. */
  static async open(
    kv: Deno.Kv,
    writer: Writer,
    options: { nowMs: () => number; retention?: BlobRetention | undefined },
  ): Promise<KvBlobStore> {
    const store = new KvBlobStore(kv, writer, options);
    for await (const { value } of kv.list<Uint8Array>({ prefix: ["blob_expiry"] })) {
      store.#bytes += decodeEntry(value).size;
    }
    return store;
  }

  async put(blob: StoredBlob): Promise<boolean> {
    const { id, bytes, mediaType, expiresAtMs } = blob;
    const size = bytes.length;
    if (this.#bytes + size > this.#maxBytes) await this.sweep();
    if (this.#bytes + size > this.#maxBytes) return false;
    // Counted before it is written, so that those who write at once do not all find room.
    this.#bytes += size;
    const entry: Entry = { id, mediaType, size, expiresAtMs };
    const expiry = jsonRow(expiryKey(entry), entry);
    try {
      await this.#writer.write([expiry]);
    } catch (error) {
      this.#bytes -= size;
      throw error;
    }
    // From here on the file is in the books, whole or not, until it is swept.
    for (const rows of batches(chunkRows(entry, bytes))) await this.#writer.write(rows);
    await this.#writer.write([jsonRow(entryKey(id), entry)]);
    return true;
  }

  async get(id: string): Promise<StoredBlob | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(entryKey(id)));
    if (value === null) return undefined;
    const entry = decodeEntry(value);
    if (entry.expiresAtMs <= this.#nowMs()) return undefined;
    const bytes = await this.#readChunks(entry);
    // Swept while it was read.
    if (bytes === undefined) return undefined;
    return { id, mediaType: entry.mediaType, bytes, expiresAtMs: entry.expiresAtMs };
  }

  sweep(): Promise<number> {
    return this.#sweeping.run(async () => {
      const nowMs = this.#nowMs();
      this.#sweptAtMs = nowMs;
      const expired = await read(Array.fromAsync(
        this.#kv.list<Uint8Array>({
          start: ["blob_expiry"],
          end: ["blob_expiry", nowMs + 1],
        }, { limit: MAX_BLOBS_SWEPT }),
      ));
      let swept = 0;
      for (const { value } of expired) {
        if (this.#closed) break;
        await this.#delete(decodeEntry(value));
        swept++;
      }
      return swept;
    });
  }

  /** Starts a sweep, now and then. */
  tick(): void {
    if (this.#nowMs() - this.#sweptAtMs < BLOB_SWEEP_MS) return;
    this.#sweptAtMs = this.#nowMs();
    this.sweep().catch((error) => {
      // What has expired stays until the next look; nobody can read it.
      if (!(error instanceof StoreError)) throw error;
    });
  }

  /** Resolves when no sweep is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#sweeping.run(() => Promise.resolve());
  }

  async #readChunks(entry: Entry): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(entry.size);
    const keys = chunkKeys(entry);
    let at = 0;
    for (let from = 0; from < keys.length; from += READ_AT_ONCE) {
      const chunks = await read(
        this.#kv.getMany<Uint8Array[]>(keys.slice(from, from + READ_AT_ONCE)),
      );
      for (const { value } of chunks) {
        if (value === null) return undefined;
        bytes.set(value, at);
        at += value.length;
      }
    }
    return bytes;
  }

  async #delete(entry: Entry): Promise<void> {
    await this.#writer.write([{ key: entryKey(entry.id), bytes: 0 }]);
    const gone = chunkKeys(entry).map((key): Row => ({ key, bytes: 0 }));
    for (const rows of batches(gone)) await this.#writer.write(rows);
    await this.#writer.write([{ key: expiryKey(entry), bytes: 0 }]);
    this.#bytes -= entry.size;
  }
}

function entryKey(id: string): Deno.KvKey {
  return ["blob", keyPart(id)];
}

function expiryKey({ expiresAtMs, id }: Entry): Deno.KvKey {
  return ["blob_expiry", expiresAtMs, keyPart(id)];
}

function chunkKeys({ id, size }: Entry): Deno.KvKey[] {
  const count = Math.ceil(size / MAX_VALUE_BYTES);
  return Array.from({ length: count }, (_, index) => ["blob_chunk", keyPart(id), index]);
}

function chunkRows(entry: Entry, bytes: Uint8Array): Row[] {
  return chunkKeys(entry).map((key, index) => {
    const value = bytes.slice(index * MAX_VALUE_BYTES, (index + 1) * MAX_VALUE_BYTES);
    return { key, value, bytes: value.length };
  });
}

/** Few enough rows for a commit that others may join. */
function* batches(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += BLOB_BATCH_CHUNKS) {
    yield rows.slice(from, from + BLOB_BATCH_CHUNKS);
  }
}

function decodeEntry(value: Uint8Array): Entry {
  return JSON.parse(textOf(value)) as Entry;
}
