import type { FileEmbeddings, VectorStore, VectorStoreFile } from "./vector_stores.ts";

/** What became of a file that was to be added. */
export type FileAdded = "added" | "store_not_found" | "full";

/** What became of embeddings that were to be kept. */
export type EmbeddingsKept = "kept" | "file_not_found" | "full";

/** Vector stores, their files and the passages of their text, durably. */
export interface PassageStore {
  /** Oldest first. */
  stores(): readonly VectorStore[];
  store(id: string): VectorStore | undefined;
  /** Resolves once durable; false, and nothing is kept, where there are too many stores. */
  createStore(store: VectorStore): Promise<boolean>;
  /** Removes a store with all its files; false where there is none. */
  removeStore(id: string): Promise<boolean>;
  /**
   * Keeps a file; it is whole or not there. `full` where the room of all stores is used up. A passage
   * has at most 60 KiB of JSON. Where the file has embeddings their vectors, one after the other, are
   * given too, of at most 15,360 numbers each.
   */
  addFile(
    file: VectorStoreFile,
    passages: readonly string[],
    vectors?: Float32Array<ArrayBuffer>,
  ): Promise<FileAdded>;
  /** Gives a file other embeddings, all of them or none, and forgets those that it has had. */
  setEmbeddings(
    file: Pick<VectorStoreFile, "id" | "storeId">,
    embeddings: FileEmbeddings,
    vectors: Float32Array<ArrayBuffer>,
  ): Promise<EmbeddingsKept>;
  /** Files of a store, oldest first. */
  files(storeId: string): Promise<readonly VectorStoreFile[]>;
  /** False where there is no such file. */
  removeFile(storeId: string, fileId: string): Promise<boolean>;
  /** All passages of a file, some at a time; ends early where the file is removed meanwhile. */
  passages(file: Pick<VectorStoreFile, "id" | "storeId">): AsyncIterable<readonly string[]>;
  /**
   * The vectors of a file's embeddings, some at a time; ends early where the file is removed or given
   * others meanwhile.
   */
  vectors(file: VectorStoreFile): AsyncIterable<Float32Array<ArrayBuffer>>;
  /** One passage of a file, counted from 0. */
  passage(
    file: Pick<VectorStoreFile, "id" | "storeId">,
    index: number,
  ): Promise<string | undefined>;
}
