import type { Noted, TrailDraft } from "../../../domain/operators/trail.ts";
import type {
  EmbeddingsKept,
  FileAdded,
  FileAddition,
  PassageStore,
  StoreCreation,
} from "../../../ports/passage_store.ts";
import type {
  FileAttributes,
  FileEmbeddings,
  StoreDescription,
  VectorStore,
  VectorStoreFile,
} from "../../../ports/vector_stores.ts";
import {
  MAX_PASSAGES_BYTES,
  MAX_VECTOR_STORES,
  SEGMENTS_DELETED,
  SEGMENTS_WRITTEN,
} from "../limits.ts";
import { Mutex } from "../mutex.ts";
import {
  decode,
  fileKey,
  type FileName,
  type FileRow,
  type Leftover,
  leftoverKey,
  leftoverRow,
  leftovers,
  storeKey,
  type StoreRow,
  storeRow,
} from "./passage_rows.ts";
import {
  changed,
  isOfCallers,
  keptBytes,
  passageSegments,
  segmentKey,
  type SegmentSet,
  segmentsFrom,
  textBytesOf,
  vectorBytes,
  vectorSegments,
  vectorsOf,
} from "./passage_segments.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, type Row } from "../rows.ts";
import type { Writer } from "../journal/writer.ts";

/** Retention of vector stores. */
export interface PassageRetention {
  /** Maximum size of all passages (UTF-8) and vectors together, in bytes. @default {1073741824} */
  readonly maxBytes?: number | undefined;
  /** Maximum number of vector stores. @default {1000} */
  readonly maxStores?: number | undefined;
}

/**
 * Vector stores in Deno KV. A file's passages are packed into segments, JSON lists that fit a
 * value; the vectors of its embeddings, 32-bit floats, likewise under their own id. Before the
 * segments a row `vector_leftover` is written; the commit of the file's own row deletes it, and the
 * commit that removes the file writes it again: leftovers of a crash are found there, and deleted
 * by the next change. A store is removed by one commit of its row, and its files after it: those that
 * a crash leaves are deleted by the next change too.
 */
export class KvPassageStore implements PassageStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #maxBytes: number;
  readonly #maxStores: number;
  readonly #changing = new Mutex();
  readonly #stores = new Map<string, VectorStore>();
  /** Ids of removed stores whose files are not all cleared away. */
  readonly #removed = new Set<string>();
  readonly #leftovers = new Map<string, Leftover>();

  private constructor(kv: Deno.Kv, writer: Writer, retention: PassageRetention) {
    this.#kv = kv;
    this.#writer = writer;
    this.#maxBytes = retention.maxBytes ?? MAX_PASSAGES_BYTES;
    this.#maxStores = retention.maxStores ?? MAX_VECTOR_STORES;
  }

  /** Opens the store: reads the descriptions of vector stores, not their contents. */
  static async open(
    kv: Deno.Kv,
    writer: Writer,
    retention: PassageRetention = {},
  ): Promise<KvPassageStore> {
    const store = new KvPassageStore(kv, writer, retention);
    const stores: VectorStore[] = [];
    for await (const { value } of kv.list<Uint8Array>({ prefix: ["vector_store"] })) {
      const row = decode<StoreRow>(value);
      if (row.isRemoved === true) store.#removed.add(row.id);
      else stores.push(row);
    }
    for (const each of stores.sort(byAge)) store.#stores.set(each.id, each);
    for await (const { value } of kv.list<Uint8Array>({ prefix: ["vector_leftover"] })) {
      const leftover = decode<Leftover>(value);
      store.#leftovers.set(leftover.fileId, leftover);
    }
    return store;
  }

  stores(): readonly VectorStore[] {
    return [...this.#stores.values()];
  }

  store(id: string): VectorStore | undefined {
    return this.#stores.get(id);
  }

  find(id: string): Promise<VectorStore | undefined> {
    return Promise.resolve(this.store(id));
  }

  storesOf(ownerId: string): Promise<readonly VectorStore[]> {
    return Promise.resolve(
      this.stores().filter((store) => store.ownerId === ownerId).sort(byAge),
    );
  }

  createStore(
    store: VectorStore,
    { ownerMax = Infinity, entry }: StoreCreation = {},
  ): Promise<boolean> {
    return this.#change(async () => {
      if (this.#stores.size >= this.#maxStores) return false;
      const own = this.stores().filter((each) => isOfCallers(each, store.ownerId));
      if (own.length >= ownerMax) return false;
      await this.#writer.write([storeRow(store)], entry?.({ after: store }));
      this.#stores.set(store.id, store);
      return true;
    });
  }

  describeStore(id: string, description: StoreDescription): Promise<VectorStore | undefined> {
    return this.#change(async () => {
      const store = this.#stores.get(id);
      if (store === undefined) return undefined;
      const described = { ...store, ...description };
      await this.#writer.write([storeRow(described)]);
      this.#stores.set(id, described);
      return described;
    });
  }

  removeStore(id: string, { entry }: Noted<VectorStore> = {}): Promise<boolean> {
    return this.#change(async () => {
      const before = this.#stores.get(id);
      if (before === undefined) return false;
      const row: StoreRow = { ...before, isRemoved: true };
      await this.#writer.write([storeRow(row)], entry?.({ before }));
      this.#stores.delete(id);
      this.#removed.add(id);
      return true;
    });
  }

  addFile(
    file: VectorStoreFile,
    passages: readonly string[],
    { ownerMaxTextBytes = Infinity, vectors = new Float32Array(), entry }: FileAddition = {},
  ): Promise<FileAdded> {
    return this.#change(async () => {
      const store = this.#stores.get(file.storeId);
      if (store === undefined) return "store_not_found";
      const own = this.stores().filter((each) => isOfCallers(each, store.ownerId));
      if (textBytesOf(own) + file.textBytes > ownerMaxTextBytes) return "owner_full";
      if (this.#bytes() + file.textBytes + vectorBytes(file) > this.#maxBytes) return "full";
      const text = passageSegments(file.id, passages);
      const embedded = vectorSegments(file, vectors);
      const sets = file.embeddings === undefined ? [text] : [text, embedded];
      await this.#writeSegments(sets);
      const row: FileRow = { file, segments: text.starts, vectorSegments: embedded.rows.length };
      await this.#commit(changed(store, { added: file }), [jsonRow(fileKey(file), row)], {
        clear: sets.map(({ id }) => id),
        entry: entry?.({ after: file }),
      });
      return "added";
    });
  }

  setEmbeddings(
    name: FileName,
    embeddings: FileEmbeddings,
    vectors: Float32Array<ArrayBuffer>,
    { entry }: Noted<VectorStoreFile> = {},
  ): Promise<EmbeddingsKept> {
    return this.#change(async () => {
      const row = await this.#row(name);
      const store = this.#stores.get(name.storeId);
      if (row === undefined || store === undefined) return "file_not_found";
      const file = { ...row.file, embeddings };
      const more = vectorBytes(file) - vectorBytes(row.file);
      if (this.#bytes() + more > this.#maxBytes) return "full";
      const embedded = vectorSegments(file, vectors);
      await this.#writeSegments([embedded]);
      const { length } = embedded.rows;
      await this.#commit(
        changed(store, { removed: row.file, added: file }),
        [jsonRow(fileKey(file), { ...row, file, vectorSegments: length } satisfies FileRow)],
        {
          ...{ clear: [embedded.id], add: leftovers(row).slice(1) },
          entry: entry?.({ before: row.file, after: file }),
        },
      );
      return "kept";
    });
  }

  setAttributes(
    name: FileName,
    attributes: FileAttributes,
  ): Promise<VectorStoreFile | undefined> {
    return this.#change(async () => {
      const row = await this.#row(name);
      const store = this.#stores.get(name.storeId);
      if (row === undefined || store === undefined) return undefined;
      const file = { ...row.file, attributes };
      const replaced: FileRow = { ...row, file };
      await this.#commit(changed(store), [jsonRow(fileKey(file), replaced)]);
      return file;
    });
  }

  async files(storeId: string): Promise<readonly VectorStoreFile[]> {
    const prefix = ["vector_file", keyPart(storeId)];
    const rows = await read(Array.fromAsync(this.#kv.list<Uint8Array>({ prefix })));
    return rows.map(({ value }) => decode<FileRow>(value).file).sort(byAge);
  }

  removeFile(
    storeId: string,
    fileId: string,
    { entry }: Noted<VectorStoreFile> = {},
  ): Promise<boolean> {
    return this.#change(async () => {
      const row = await this.#row({ storeId, id: fileId });
      if (row === undefined) return false;
      await this.#remove(row.file, entry?.({ before: row.file }));
      return true;
    });
  }

  async *passages(file: FileName, from = 0): AsyncIterable<readonly string[]> {
    const { segments } = await this.#row(file) ?? { segments: [] };
    for (const { number, skip } of segmentsFrom(segments, from)) {
      const segment = await this.#segment(file.id, number);
      if (segment === undefined) return;
      yield segment.slice(skip);
    }
  }

  async *vectors(file: VectorStoreFile): AsyncIterable<Float32Array<ArrayBuffer>> {
    const { embeddings } = file;
    const row = await this.#row(file);
    if (embeddings === undefined || row?.file.embeddings?.id !== embeddings.id) return;
    for (let number = 0; number < (row.vectorSegments ?? 0); number++) {
      const { value } = await read(this.#kv.get<Uint8Array>(segmentKey(embeddings.id, number)));
      if (value === null) return;
      yield vectorsOf(value);
    }
  }

  async passage(file: FileName, index: number): Promise<string | undefined> {
    const { segments } = await this.#row(file) ?? { segments: [] };
    const number = segments.findLastIndex((start) => start <= index);
    const segment = number < 0 ? undefined : await this.#segment(file.id, number);
    return segment?.[index - (segments[number] ?? 0)];
  }

  /** Resolves when no change is in progress. */
  async close(): Promise<void> {
    await this.#changing.run(() => Promise.resolve());
  }

  /** Runs a change alone, after the leftovers of former ones are removed. */
  #change<T>(change: () => Promise<T>): Promise<T> {
    return this.#changing.run(async () => {
      await this.#clean();
      const result = await change();
      await this.#clean();
      return result;
    });
  }

  async #clean(): Promise<void> {
    for (const id of [...this.#removed]) await this.#clearStore(id);
    for (const { fileId, segments } of [...this.#leftovers.values()]) {
      const rows = Array.from({ length: segments }, (_, number): Row => ({
        key: segmentKey(fileId, number),
        bytes: 0,
      }));
      await this.#writeAll(rows, SEGMENTS_DELETED);
      await this.#writer.write([{ key: leftoverKey(fileId), bytes: 0 }]);
      this.#leftovers.delete(fileId);
    }
  }

  /** Deletes the files of a removed store, and its row after them; their segments are left over. */
  async #clearStore(id: string): Promise<void> {
    for (const file of await this.files(id)) {
      const row = await this.#row(file);
      if (row === undefined) continue;
      const add = leftovers(row);
      await this.#writer.write([{ key: fileKey(file), bytes: 0 }, ...add.map(leftoverRow)]);
      for (const leftover of add) this.#leftovers.set(leftover.fileId, leftover);
    }
    await this.#writer.write([{ key: storeKey(id), bytes: 0 }]);
    this.#removed.delete(id);
  }

  async #remove(file: VectorStoreFile, entry?: TrailDraft): Promise<void> {
    const row = await this.#row(file);
    const store = this.#stores.get(file.storeId);
    if (row === undefined || store === undefined) return;
    const deletion: Row = { key: fileKey(file), bytes: 0 };
    const add = leftovers(row);
    await this.#commit(changed(store, { removed: row.file }), [deletion], { add, entry });
  }

  /** Writes segments that belong to no file yet; from here on they can be found. */
  async #writeSegments(sets: readonly SegmentSet[]): Promise<void> {
    const leftovers = sets.map(({ id, rows }): Leftover => ({ fileId: id, segments: rows.length }));
    await this.#writer.write(leftovers.map(leftoverRow));
    for (const leftover of leftovers) this.#leftovers.set(leftover.fileId, leftover);
    for (const { rows } of sets) await this.#writeAll(rows, SEGMENTS_WRITTEN);
  }

  /**
   * Changes a file and its vector store in one commit. From then on the segments belong to the
   * file, or to none.
   */
  async #commit(
    store: VectorStore,
    rows: readonly Row[],
    { clear = [], add = [], entry }: {
      readonly clear?: readonly string[];
      readonly add?: readonly Leftover[];
      readonly entry?: TrailDraft | undefined;
    } = {},
  ): Promise<void> {
    await this.#writer.write([
      ...rows,
      storeRow(store),
      ...clear.map((id): Row => ({ key: leftoverKey(id), bytes: 0 })),
      ...add.map(leftoverRow),
    ], entry);
    this.#stores.set(store.id, store);
    for (const id of clear) this.#leftovers.delete(id);
    for (const leftover of add) this.#leftovers.set(leftover.fileId, leftover);
  }

  async #writeAll(rows: readonly Row[], atOnce: number): Promise<void> {
    for (let from = 0; from < rows.length; from += atOnce) {
      await this.#writer.write(rows.slice(from, from + atOnce));
    }
  }

  async #row(file: FileName): Promise<FileRow | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(fileKey(file)));
    return value === null ? undefined : decode<FileRow>(value);
  }

  async #segment(fileId: string, number: number): Promise<readonly string[] | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(segmentKey(fileId, number)));
    return value === null ? undefined : decode<readonly string[]>(value);
  }

  #bytes(): number {
    let bytes = 0;
    for (const store of this.#stores.values()) bytes += keptBytes(store);
    return bytes;
  }
}

function byAge<T extends { readonly id: string; readonly createdAtMs: number }>(one: T, other: T) {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}
