import type { Noted } from "../domain/operators/trail.ts";
import type {
  FileAttributes,
  FileEmbeddings,
  StoreDescription,
  VectorStore,
  VectorStoreFile,
} from "./vector_stores.ts";

/** The outcome of adding a file. */
export type FileAdded = "added" | "store_not_found" | "full" | "owner_full";

/** The outcome of storing embeddings. */
export type EmbeddingsKept = "kept" | "file_not_found" | "full";

/** Options of a new vector store. */
export interface StoreCreation extends Noted<VectorStore> {
  /** Maximum number of stores that callers of its owner may have. @default {no limit} */
  readonly ownerMax?: number | undefined;
}

/** Options of a file that is added. */
export interface FileAddition extends Noted<VectorStoreFile> {
  /** Vectors of a file with embeddings, joined in order, of at most 15,360 numbers each. */
  readonly vectors?: Float32Array<ArrayBuffer> | undefined;
  /**
   * Maximum text of the stores that callers of the store's owner made, in UTF-8 bytes. @default {no
   * limit}
   */
  readonly ownerMaxTextBytes?: number | undefined;
}

/** A durable store of vector stores, their files and the passages of their text. */
export interface PassageStore {
  /** Returns all stores, oldest first. */
  stores(): readonly VectorStore[];
  store(id: string): VectorStore | undefined;
  /** Returns a store, also one that another instance has just made: an unknown id is looked up. */
  find(id: string): Promise<VectorStore | undefined>;
  /** Returns the stores of an owner, oldest first, also those that another instance has just made. */
  storesOf(ownerId: string): Promise<readonly VectorStore[]>;
  /**
   * Stores a vector store; resolves once it is durable. Returns false, and stores nothing, if there
   * are too many, or the owner's callers have made as many as they may.
   */
  createStore(store: VectorStore, options?: StoreCreation): Promise<boolean>;
  /**
   * Changes the description of a store, which says nothing about its files; `undefined` if there is
   * none.
   */
  describeStore(
    id: string,
    description: StoreDescription,
  ): Promise<VectorStore | undefined>;
  /**
   * Removes a store with all its files; returns false if there is none. One commit removes it from
   * sight, the files are cleared away after it.
   */
  removeStore(id: string, options?: Noted<VectorStore>): Promise<boolean>;
  /**
   * Stores a file completely or not at all. Returns `full` if the space of all stores is used up, and
   * `owner_full` if the owner's is: both are checked in one commit with the file. A passage has at
   * most 60 KiB of JSON. A file with embeddings comes with their vectors.
   */
  addFile(
    file: VectorStoreFile,
    passages: readonly string[],
    options?: FileAddition,
  ): Promise<FileAdded>;
  /** Replaces the embeddings of a file, all or none, and deletes the former ones. */
  setEmbeddings(
    file: Pick<VectorStoreFile, "id" | "storeId">,
    embeddings: FileEmbeddings,
    vectors: Float32Array<ArrayBuffer>,
    options?: Noted<VectorStoreFile>,
  ): Promise<EmbeddingsKept>;
  /** Replaces the attributes of a file, and returns it; `undefined` if there is none. */
  setAttributes(
    file: Pick<VectorStoreFile, "id" | "storeId">,
    attributes: FileAttributes,
  ): Promise<VectorStoreFile | undefined>;
  /** Returns the files of a store, oldest first. */
  files(storeId: string): Promise<readonly VectorStoreFile[]>;
  /** Removes a file; returns false if there is none. */
  removeFile(
    storeId: string,
    fileId: string,
    options?: Noted<VectorStoreFile>,
  ): Promise<boolean>;
  /**
   * Returns all passages of a file in batches, or those from one on, counted from 0; ends early if the
   * file is removed meanwhile.
   */
  passages(
    file: Pick<VectorStoreFile, "id" | "storeId">,
    from?: number,
  ): AsyncIterable<readonly string[]>;
  /**
   * Returns the vectors of a file in batches; ends early if the file is removed or its embeddings
   * are replaced meanwhile.
   */
  vectors(file: VectorStoreFile): AsyncIterable<Float32Array<ArrayBuffer>>;
  /** Returns one passage of a file, counted from 0. */
  passage(
    file: Pick<VectorStoreFile, "id" | "storeId">,
    index: number,
  ): Promise<string | undefined>;
}
