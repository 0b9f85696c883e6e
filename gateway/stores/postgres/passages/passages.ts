import type { Noted } from "../../../domain/operators/trail.ts";
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
import { MAX_PASSAGES_BYTES, MAX_VECTOR_STORES } from "../../kv/limits.ts";
import { Mutex } from "../../kv/mutex.ts";
import {
  changed,
  isOfCallers,
  keptBytes,
  passageSegments,
  segmentsFrom,
  textBytesOf,
  vectorBytes,
  vectorSegments,
  vectorsOf,
} from "../../kv/values/passage_segments.ts";
import { announce } from "../changes/announce.ts";
import type { Changes } from "../changes/changes.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { noteIn } from "../operators/trail.ts";
import { lockVectorStores } from "../sql/locks.ts";
import { textId } from "../text_id.ts";
import { deleteSegments, type FileName, readFile, writeFile, writeSegments } from "./file_rows.ts";
import { byAge, KnownStores, readStoresOf } from "./known_stores.ts";

/** Limits of all vector stores together. */
export interface PassageLimits {
  /** Maximum size of all passages (UTF-8) and vectors, in bytes. @default {1073741824} */
  readonly maxBytes?: number | undefined;
  /** Maximum number of vector stores. @default {1000} */
  readonly maxStores?: number | undefined;
}

/**
 * Vector stores in PostgreSQL. Their descriptions are in memory; other instances hear of a change
 * within a second, and look for a store that is not in memory. Each change is one transaction, and all are made one after another.
 */
export class PostgresPassageStore implements PassageStore {
  readonly #sql: Sql;
  readonly #known: KnownStores;
  readonly #maxBytes: number;
  readonly #maxStores: number;
  // At most one connection of the pool waits for the lock.
  readonly #changing = new Mutex();

  private constructor(sql: Sql, known: KnownStores, limits: PassageLimits) {
    this.#sql = sql;
    this.#known = known;
    this.#maxBytes = limits.maxBytes ?? MAX_PASSAGES_BYTES;
    this.#maxStores = limits.maxStores ?? MAX_VECTOR_STORES;
  }

  /** Reads the descriptions of vector stores, not their contents. */
  static async open(
    sql: Sql,
    changes: Changes,
    limits: PassageLimits = {},
  ): Promise<PostgresPassageStore> {
    const known = new KnownStores(sql);
    changes.watch(known);
    await known.catchUp();
    return new PostgresPassageStore(sql, known, limits);
  }

  stores(): readonly VectorStore[] {
    return this.#known.all();
  }

  store(id: string): VectorStore | undefined {
    return this.#known.get(id);
  }

  find(id: string): Promise<VectorStore | undefined> {
    return this.#known.find(id);
  }

  storesOf(ownerId: string): Promise<readonly VectorStore[]> {
    return this.#known.ofOwner(ownerId);
  }

  async createStore(
    store: VectorStore,
    { ownerMax = Infinity, entry }: StoreCreation = {},
  ): Promise<boolean> {
    const created = await this.#change(async (sql) => {
      const [row] = await sql<{ stores: number }[]>`
        select count(*)::int as stores from vector_store
      `;
      if ((row?.stores ?? 0) >= this.#maxStores) return false;
      if (ownerMax < Infinity) {
        const own = await storesOfCallers(sql, store.ownerId);
        if (own.length >= ownerMax) return false;
      }
      await sql`
        insert into vector_store (id, bytes, data)
        values (${textId(store.id)}, ${keptBytes(store)}, ${JSON.stringify(store)})
      `;
      await announce(sql, "vector_store", [textId(store.id)]);
      await noteIn(sql, entry?.({ after: store }));
      return true;
    });
    if (created) this.#known.set(store);
    return created;
  }

  async removeStore(id: string, { entry }: Noted<VectorStore> = {}): Promise<boolean> {
    const removed = await this.#change(async (sql) => {
      const before = await readStore(sql, id);
      if (before === undefined) return false;
      await sql`delete from vector_store where id = ${textId(id)}`;
      await sql`delete from vector_file where store_id = ${textId(id)}`;
      await sql`delete from vector_segment where store_id = ${textId(id)}`;
      await announce(sql, "vector_store", [textId(id)]);
      await noteIn(sql, entry?.({ before }));
      return true;
    });
    if (removed) this.#known.remove(id);
    return removed;
  }

  async addFile(
    file: VectorStoreFile,
    passages: readonly string[],
    { ownerMaxTextBytes = Infinity, vectors = new Float32Array(), entry }: FileAddition = {},
  ): Promise<FileAdded> {
    const text = passageSegments(file.id, passages);
    const result = await this.#change(async (sql) => {
      const store = await readStore(sql, file.storeId);
      if (store === undefined) return "store_not_found";
      if (ownerMaxTextBytes < Infinity) {
        const own = await storesOfCallers(sql, store.ownerId);
        if (textBytesOf(own) + file.textBytes > ownerMaxTextBytes) return "owner_full";
      }
      if (!await this.#hasRoom(sql, file.textBytes + vectorBytes(file))) return "full";
      await writeSegments(sql, file.storeId, text);
      if (file.embeddings !== undefined) {
        await writeSegments(sql, file.storeId, vectorSegments(file, vectors));
      }
      await writeFile(sql, { file, starts: text.starts });
      const result = await writeStore(sql, changed(store, { added: file }));
      await noteIn(sql, entry?.({ after: file }));
      return result;
    });
    return this.#noted(result) ?? "added";
  }

  async describeStore(id: string, description: StoreDescription): Promise<VectorStore | undefined> {
    const described = await this.#change(async (sql) => {
      const store = await readStore(sql, id);
      return store && await writeStore(sql, { ...store, ...description });
    });
    if (described !== undefined) this.#known.set(described);
    return described;
  }

  async setEmbeddings(
    name: FileName,
    embeddings: FileEmbeddings,
    vectors: Float32Array<ArrayBuffer>,
    { entry }: Noted<VectorStoreFile> = {},
  ): Promise<EmbeddingsKept> {
    const result = await this.#change(async (sql) => {
      const row = await readFile(sql, name);
      const store = await readStore(sql, name.storeId);
      if (row === undefined || store === undefined) return "file_not_found";
      const file = { ...row.file, embeddings };
      if (!await this.#hasRoom(sql, vectorBytes(file) - vectorBytes(row.file))) return "full";
      const former = row.file.embeddings;
      if (former !== undefined) await deleteSegments(sql, name.storeId, [former.id]);
      await writeSegments(sql, name.storeId, vectorSegments(file, vectors));
      await writeFile(sql, { ...row, file });
      const result = await writeStore(sql, changed(store, { removed: row.file, added: file }));
      await noteIn(sql, entry?.({ before: row.file, after: file }));
      return result;
    });
    return this.#noted(result) ?? "kept";
  }

  async setAttributes(
    name: FileName,
    attributes: FileAttributes,
  ): Promise<VectorStoreFile | undefined> {
    const result = await this.#change(async (sql) => {
      const row = await readFile(sql, name);
      const store = await readStore(sql, name.storeId);
      if (row === undefined || store === undefined) return undefined;
      const file = { ...row.file, attributes };
      await writeFile(sql, { ...row, file });
      return { file, store: await writeStore(sql, changed(store)) };
    });
    if (result !== undefined) this.#known.set(result.store);
    return result?.file;
  }

  async files(storeId: string): Promise<readonly VectorStoreFile[]> {
    const rows = await query(this.#sql<{ data: string }[]>`
      select data from vector_file where store_id = ${textId(storeId)}
    `);
    return rows.map(({ data }): VectorStoreFile => JSON.parse(data)).sort(byAge);
  }

  async removeFile(
    storeId: string,
    id: string,
    { entry }: Noted<VectorStoreFile> = {},
  ): Promise<boolean> {
    const result = await this.#change(async (sql) => {
      const row = await readFile(sql, { storeId, id });
      const store = await readStore(sql, storeId);
      if (row === undefined || store === undefined) return "file_not_found";
      const { embeddings } = row.file;
      await deleteSegments(sql, storeId, embeddings === undefined ? [id] : [id, embeddings.id]);
      await sql`
        delete from vector_file where store_id = ${textId(storeId)} and id = ${textId(id)}
      `;
      const result = await writeStore(sql, changed(store, { removed: row.file }));
      await noteIn(sql, entry?.({ before: row.file }));
      return result;
    });
    return this.#noted(result) === undefined;
  }

  async *passages(file: FileName, from = 0): AsyncIterable<readonly string[]> {
    const row = await query(readFile(this.#sql, file));
    for (const { number, skip } of segmentsFrom(row?.starts ?? [], from)) {
      const segment = await this.#passages(file, number);
      if (segment === undefined) return;
      yield segment.slice(skip);
    }
  }

  async *vectors(file: VectorStoreFile): AsyncIterable<Float32Array<ArrayBuffer>> {
    const { embeddings } = file;
    const row = await query(readFile(this.#sql, file));
    if (embeddings === undefined || row?.file.embeddings?.id !== embeddings.id) return;
    for (let number = 0;; number++) {
      const segment = await this.#segment(file.storeId, embeddings.id, number);
      if (segment === undefined) return;
      yield vectorsOf(segment);
    }
  }

  async passage(file: FileName, index: number): Promise<string | undefined> {
    const starts = (await query(readFile(this.#sql, file)))?.starts ?? [];
    const number = starts.findLastIndex((start) => start <= index);
    const segment = number < 0 ? undefined : await this.#passages(file, number);
    return segment?.[index - (starts[number] ?? 0)];
  }

  /** Runs a change in a transaction, after those of all instances that came before it. */
  #change<T>(change: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.#changing.run(() =>
      query<T>(
        this.#sql.begin(async (sql) => {
          await lockVectorStores(sql);
          return { result: await change(sql) };
        }).then(({ result }) => result),
      )
    );
  }

  /** Keeps a changed store in memory; returns the reason if it was not changed. */
  #noted<T extends string>(result: VectorStore | T): T | undefined {
    if (typeof result === "string") return result;
    this.#known.set(result);
    return undefined;
  }

  async #hasRoom(sql: Transaction, bytes: number): Promise<boolean> {
    const [row] = await sql<{ bytes: bigint }[]>`
      select coalesce(sum(bytes), 0)::bigint as bytes from vector_store
    `;
    return Number(row?.bytes ?? 0) + bytes <= this.#maxBytes;
  }

  async #passages(
    { storeId, id }: FileName,
    number: number,
  ): Promise<readonly string[] | undefined> {
    const segment = await this.#segment(storeId, id, number);
    return segment && JSON.parse(new TextDecoder().decode(segment));
  }

  async #segment(
    storeId: string,
    partId: string,
    number: number,
  ): Promise<Uint8Array | undefined> {
    const [row] = await query(this.#sql<{ content: Uint8Array }[]>`
      select content from vector_segment
      where store_id = ${textId(storeId)} and part_id = ${textId(partId)} and number = ${number}
    `);
    return row?.content;
  }
}

async function storesOfCallers(sql: Transaction, owner: string): Promise<VectorStore[]> {
  return (await readStoresOf(sql, owner)).filter((store) => isOfCallers(store, owner));
}

async function readStore(sql: Transaction, id: string): Promise<VectorStore | undefined> {
  const [row] = await sql<{ data: string }[]>`
    select data from vector_store where id = ${textId(id)}
  `;
  return row && JSON.parse(row.data);
}

/** Writes a changed store and announces it; the last statement of a change. */
async function writeStore(sql: Transaction, store: VectorStore): Promise<VectorStore> {
  await sql`
    update vector_store set bytes = ${keptBytes(store)}, data = ${JSON.stringify(store)}
    where id = ${textId(store.id)}
  `;
  await announce(sql, "vector_store", [textId(store.id)]);
  return store;
}
