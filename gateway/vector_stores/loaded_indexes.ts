import type { PassageStore } from "../ports/passage_store.ts";
import { StoreError } from "../ports/store_error.ts";
import type { VectorStore, VectorStoreFile } from "../ports/vector_stores.ts";
import { IndexThread } from "./index_thread.ts";
import { LOAD_BATCH, MAX_LOADED_PASSAGES, SMALL_LOAD } from "./limits.ts";
import { LoadQueue } from "./load_queue.ts";
import type { IndexHit } from "./passage_index.ts";
import type { QueryVector } from "./vector_index.ts";

/** A store with a loaded index. */
interface LoadedIndex {
  readonly storeId: string;
  /** Revision of the store when its files were last read. */
  revision: number;
  files: ReadonlyMap<string, VectorStoreFile>;
  /** Passages in the index, by file; removed files may be included. */
  readonly indexed: Map<string, number>;
  /** Ids of the embeddings in the index, by file. */
  readonly embedded: Map<string, string>;
  /** Embedding space for which vectors were loaded. */
  space: string | undefined;
}

/** A search in a store; `select` filters files. */
export interface StoreSearch {
  readonly text: string;
  readonly limit: number;
  readonly select?: ((file: VectorStoreFile) => boolean) | undefined;
  /** Vector of the text; used for files with embeddings of its space. */
  readonly vector?: QueryVector | undefined;
}

/** Source of passages. */
export type LoadedFrom = Pick<PassageStore, "store" | "files" | "passages" | "vectors">;

/** A passage with its file. */
export interface StoreHit extends IndexHit {
  readonly file: VectorStoreFile;
}

/**
 * The loaded indexes: each is loaded when its store is first searched, and updated when its files
 * have changed. One small and one large load run at a time, so that small ones never wait for large
 * ones. The least recently used ones are dropped first to stay within {@linkcode
 * MAX_LOADED_PASSAGES} passages.
 */
export class LoadedIndexes {
  readonly #passages: LoadedFrom;
  readonly #thread: IndexThread;
  readonly #maxPassages: number;
  /** Least recently used first. */
  readonly #loaded = new Map<string, LoadedIndex>();
  /** Waiting and running loads, by store. */
  readonly #loads = new Map<string, Promise<unknown>>();
  /** Passages of the stores that are being loaded. */
  readonly #answerInFlight = new Map<string, number>();
  readonly #small = new LoadQueue();
  readonly #large = new LoadQueue();
  /** Number of times that all indexes were lost. */
  #generation = 0;

  constructor(
    passages: LoadedFrom,
    options: { maxPassages?: number | undefined; idleMs?: number | undefined } = {},
  ) {
    this.#passages = passages;
    this.#maxPassages = options.maxPassages ?? MAX_LOADED_PASSAGES;
    this.#thread = new IndexThread({ idleMs: options.idleMs });
    this.#thread.onGone = () => {
      this.#generation++;
      this.#loaded.clear();
    };
  }

  /** Number of loaded passages. */
  get size(): number {
    return [...this.#loaded.values()].reduce((sum, loaded) => sum + sizeOf(loaded), 0);
  }

  /** Returns the best passages of a store, best first. */
  async search(store: VectorStore, query: StoreSearch): Promise<readonly StoreHit[]> {
    for (;;) {
      const present = this.#current(store, query.vector?.space);
      if (present !== undefined) {
        this.#keep(present);
        return await this.#ask(present, query);
      }
      const others = this.#loads.get(store.id);
      if (others === undefined) return await this.#searchAnew(store, query);
      await others;
    }
  }

  /** Drops the index of a store. */
  async forget(storeId: string): Promise<void> {
    if (this.#loaded.delete(storeId)) await this.#thread.drop(storeId);
  }

  /** Ends the index thread. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #current(store: VectorStore, space: string | undefined): LoadedIndex | undefined {
    const present = this.#loaded.get(store.id);
    const isCurrent = present?.revision === store.revision &&
      (space === undefined || present.space === space);
    return isCurrent ? present : undefined;
  }

  /** Loads a store when its turn comes, and searches it. */
  async #searchAnew(store: VectorStore, query: StoreSearch): Promise<readonly StoreHit[]> {
    const former = this.#loaded.get(store.id);
    const size = Math.max(0, store.passages - (former === undefined ? 0 : sizeOf(former)));
    const queue = size > SMALL_LOAD ? this.#large : this.#small;
    const loading = queue.run(size, () =>
      this.#thread.hold(async () => {
        try {
          const loaded = await this.#load(store.id, query.vector?.space);
          // Searched before another store loads, which may displace this index.
          return { hits: this.#ask(loaded, query) };
        } finally {
          this.#answerInFlight.delete(store.id);
        }
      }));
    const ended = () => void this.#loads.delete(store.id);
    this.#loads.set(store.id, loading.then(ended, ended));
    return await (await loading).hits;
  }

  /** Marks an index as the most recently used. */
  #keep(loaded: LoadedIndex): void {
    this.#loaded.delete(loaded.storeId);
    this.#loaded.set(loaded.storeId, loaded);
  }

  async #ask({ storeId, files, indexed }: LoadedIndex, query: StoreSearch): Promise<StoreHit[]> {
    const { text, limit, select, vector } = query;
    const selected = [...files.values()].filter((file) => select?.(file) ?? true);
    if (selected.length === 0) return [];
    // Removed files may still be in the index: then the search names the valid ones.
    const fileIds = selected.length === indexed.size
      ? undefined
      : new Set(selected.map(({ id }) => id));
    const request = { text, limit, fileIds, vector };
    const hits = await this.#thread.search(storeId, request);
    return hits.flatMap((hit) => {
      const file = files.get(hit.fileId);
      return file === undefined ? [] : [{ ...hit, file }];
    });
  }

  /** Loads an index; once more if the thread has ended meanwhile and taken it along. */
  async #load(storeId: string, space: string | undefined): Promise<LoadedIndex> {
    for (let tries = 0; tries < 2; tries++) {
      const generation = this.#generation;
      const loaded = await this.#bringUpToDate(storeId, space);
      if (generation === this.#generation) {
        this.#keep(loaded);
        return loaded;
      }
      await this.#thread.drop(storeId);
    }
    throw new StoreError("Cannot search: the index has failed");
  }

  /** Updates an index. If most of its files were removed it starts again. */
  async #bringUpToDate(storeId: string, searchSpace: string | undefined): Promise<LoadedIndex> {
    const store = this.#passages.store(storeId);
    const all = store === undefined ? [] : await this.#passages.files(storeId);
    const files = new Map(all.map((file) => [file.id, file] as const));
    const former = this.#loaded.get(storeId);
    const removedFiles = [...former?.indexed.keys() ?? []].filter((id) => !files.has(id)).length;
    if (removedFiles * 2 > files.size) await this.forget(storeId);
    await this.#makeRoom(storeId, store?.passages ?? 0);

    const { indexed, embedded, space } = this.#loaded.get(storeId) ?? nothing();
    const revision = store?.revision ?? -1;
    const loaded: LoadedIndex = {
      storeId,
      revision,
      files,
      indexed,
      embedded,
      space: searchSpace ?? space,
    };
    try {
      for (const file of files.values()) {
        if (!indexed.has(file.id)) indexed.set(file.id, await this.#index(file));
        await this.#indexVectors(file, loaded);
      }
    } catch (error) {
      // Half a file may be in the index.
      this.#loaded.delete(storeId);
      await this.#thread.drop(storeId);
      throw error;
    }
    return loaded;
  }

  async #index(file: VectorStoreFile): Promise<number> {
    let count = 0;
    for await (const texts of this.#passages.passages(file)) {
      for (let from = 0; from < texts.length; from += LOAD_BATCH) {
        const passages = texts.slice(from, from + LOAD_BATCH)
          .map((text) => ({ fileId: file.id, index: count++, text }));
        await this.#thread.add(file.storeId, passages);
      }
    }
    return count;
  }

  /** Loads the vectors of a file that match the searched space. */
  async #indexVectors(file: VectorStoreFile, { embedded, space }: LoadedIndex): Promise<void> {
    const { embeddings, id: fileId, passages, storeId } = file;
    if (embeddings === undefined || embeddings.space !== space) return;
    if (embedded.get(fileId) === embeddings.id) return;
    const { dimensions } = embeddings;
    let index = 0;
    for await (const values of this.#passages.vectors(file)) {
      const vectors = { fileId, index, passages, space: embeddings.space, dimensions, values };
      await this.#thread.addVectors(storeId, vectors);
      index += values.length / dimensions;
    }
    embedded.set(fileId, embeddings.id);
  }

  /** Drops the least recently used indexes, except those being loaded. */
  async #makeRoom(storeId: string, passages: number): Promise<void> {
    this.#answerInFlight.set(storeId, passages);
    for (const other of [...this.#loaded.values()]) {
      if (this.#passagesInMemory() <= this.#maxPassages) return;
      if (!this.#answerInFlight.has(other.storeId)) await this.forget(other.storeId);
    }
  }

  #passagesInMemory(): number {
    let passages = 0;
    for (const count of this.#answerInFlight.values()) passages += count;
    for (const loaded of this.#loaded.values()) {
      if (!this.#answerInFlight.has(loaded.storeId)) passages += sizeOf(loaded);
    }
    return passages;
  }
}

function nothing(): Pick<LoadedIndex, "indexed" | "embedded" | "space"> {
  return { indexed: new Map(), embedded: new Map(), space: undefined };
}

function sizeOf({ indexed }: LoadedIndex): number {
  let passages = 0;
  for (const count of indexed.values()) passages += count;
  return passages;
}
