import type { AttributeFilter } from "@svc/sdk/protocol";
import type { Noted } from "../domain/operators/trail.ts";

/** The description of a vector store that callers may change. */
export interface StoreDescription {
  readonly name?: string;
  /** Caller's own pairs. @default {{}} */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Days without use after which it is removed. @default {never} */
  readonly expiresAfterDays?: number | undefined;
  /** Time of the last use, at most an hour old. @default {that of its creation} */
  readonly lastActiveAtMs?: number | undefined;
}

/** A set of files that the keys of one wallet may search. */
export interface VectorStore extends StoreDescription {
  /** `vs_…` */
  readonly id: string;
  /** Id of the wallet whose keys can use it. */
  readonly ownerId: string;
  readonly name: string;
  /** True when a caller made it, who may change it. @default {false} */
  readonly isCallers?: boolean | undefined;
  /** Unix time in milliseconds. */
  readonly createdAtMs: number;
  readonly files: number;
  /** Number of files that could not be read. @default {0} */
  readonly failed?: number | undefined;
  readonly passages: number;
  /** UTF-8 bytes of all passages. */
  readonly textBytes: number;
  /** Number of changes of its files. */
  readonly revision: number;
  /** Counts of its embeddings, by their space. @default {{}} */
  readonly embeddings?: Readonly<Record<string, EmbeddingCounts>> | undefined;
}

/** The counts of the embeddings of one space in a store. */
export interface EmbeddingCounts {
  readonly passages: number;
  /** Size of their vectors, in bytes. */
  readonly bytes: number;
}

/** The embeddings of a file: a vector for each of its passages. */
export interface FileEmbeddings {
  /** `emb_…`, never used again. */
  readonly id: string;
  /**
   * Space of the vectors: the model and the requested dimensions. Only vectors of one space are
   * comparable.
   */
  readonly space: string;
  /** Length of a vector. */
  readonly dimensions: number;
}

/** Attributes of a file that the operator set, to filter by. */
export type FileAttributes = Readonly<Record<string, string | number | boolean>>;

/** A file of a vector store: its text is stored, its bytes are not. */
export interface VectorStoreFile {
  /** `file_…` */
  readonly id: string;
  readonly storeId: string;
  readonly filename: string;
  readonly mediaType: string;
  /** Size of the original file, in bytes. */
  readonly sizeBytes: number;
  readonly passages: number;
  /** UTF-8 bytes of its passages. */
  readonly textBytes: number;
  /** Unix time in milliseconds. */
  readonly createdAtMs: number;
  readonly attributes: FileAttributes;
  /** @default {none: only full-text search reads the file} */
  readonly embeddings?: FileEmbeddings | undefined;
  /** Id of the caller's file that it is the text of. @default {an operator added it} */
  readonly sourceId?: string | undefined;
  /** Id of the batch that it was added with. @default {added alone} */
  readonly batchId?: string | undefined;
  /** Unix time in milliseconds from which nothing shows it. @default {until it is removed} */
  readonly expiresAtMs?: number | undefined;
  /** Reason why it has no text. @default {it was read} */
  readonly failure?: FileFailure | undefined;
}

/** Reason why a file could not be added to a store of a caller. */
export interface FileFailure {
  /** The codes of OpenAI; `server_error` where the file is not to blame. */
  readonly code: "unsupported_file" | "invalid_file" | "server_error";
  readonly message: string;
}

/** A part of the text of a file. */
export interface FileText {
  /** Without what passages repeat of one another; empty for a file that could not be read. */
  readonly text: string;
  /** Passage with which the next part begins; `undefined` after the last one. */
  readonly next?: number | undefined;
}

/** A file that has been added. */
export interface AddedFile extends VectorStoreFile {
  /** Reason why it has no embeddings although it should: a sentence for the operator. */
  readonly warning?: string | undefined;
}

/** A file to be added. */
export interface NewFile {
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly attributes?: FileAttributes | undefined;
  readonly sourceId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly expiresAtMs?: number | undefined;
  /**
   * Maximum text of the stores that callers of the store's owner made, in UTF-8 bytes. @default {no
   * limit}
   */
  readonly ownerMaxTextBytes?: number | undefined;
}

/** A file that could not be read, to be noted in a store. */
export interface UnreadFile extends Omit<NewFile, "bytes" | "ownerMaxTextBytes"> {
  readonly sizeBytes: number;
  readonly failure: FileFailure;
}

/** Options of a new vector store. */
export interface NewStore
  extends Omit<StoreDescription, "name" | "lastActiveAtMs">, Noted<VectorStore> {
  readonly ownerId: string;
  readonly isCallers?: boolean | undefined;
  /** Maximum number of stores that callers of the owner may have. @default {no limit} */
  readonly ownerMax?: number | undefined;
}

/** Options of a change of a file that an operator makes. */
export type FileChange = Noted<VectorStoreFile>;

/** Options of the removal of a store. */
export type StoreRemoval = Noted<VectorStore>;

/** A search in vector stores. */
export interface VectorStoreQuery {
  /** At most 20. */
  readonly storeIds: readonly string[];
  readonly text: string;
  /** 1 to 50. @default {20} */
  readonly maxResults?: number | undefined;
  /** Minimum score, 0 to 1. @default {0} */
  readonly scoreThreshold?: number | undefined;
  readonly filter?: AttributeFilter | undefined;
}

/** A passage that matches. */
export interface SearchHit {
  readonly storeId: string;
  /** Id of the caller's file where it has one. */
  readonly fileId: string;
  readonly filename: string;
  /**
   * Score, 0 to 1: the share of the words of the query that the passage has, rare words counting
   * more. If both have embeddings, the mean of that and of their cosine, at least 0.
   */
  readonly score: number;
  readonly text: string;
  readonly attributes: FileAttributes;
}

/** The reason of a refusal. */
export type VectorStoreRefusal =
  /** Unknown, or of another owner: the code is the same. */
  | { readonly code: "store_not_found"; readonly id: string }
  /** A limit is reached; the message names it. */
  | { readonly code: "full"; readonly message: string }
  | { readonly code: "too_large"; readonly message: string }
  | { readonly code: "unsupported_media_type"; readonly message: string }
  /** The text of the file cannot be read: it is damaged, encrypted, or has none. */
  | { readonly code: "unreadable"; readonly message: string };

/** A result, or its refusal. */
export type VectorStoreOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: VectorStoreRefusal };

/** The outcome of embedding a file. */
export type EmbedOutcome =
  | { readonly ok: true; readonly value: VectorStoreFile }
  | {
    readonly ok: false;
    /** `off`: no embeddings are configured. `failed`: the upstream did not embed them. */
    readonly code: "file_not_found" | "off" | "full" | "failed";
    readonly message: string;
  };

/** The gateway's own vector stores, which `file_search` reads. */
export interface VectorStores {
  create(name: string, options: NewStore): Promise<VectorStoreOutcome<VectorStore>>;
  /** Changes a description; `undefined` if there is no such store. */
  describe(id: string, description: StoreDescription): Promise<VectorStore | undefined>;
  /** Notes a file that could not be read, so that its caller can see why. */
  addUnread(storeId: string, file: UnreadFile): Promise<VectorStoreOutcome<VectorStoreFile>>;
  /**
   * Removes stores that have expired, which nothing else shows any more; resolves to their number. One
   * that cannot be removed stops no other; rejects at the end.
   */
  sweep(): Promise<number>;
  /** Returns the stores of one owner, or all, oldest first. */
  list(ownerId?: string): readonly VectorStore[];
  get(id: string): VectorStore | undefined;
  /** Returns a store, also one that another instance has just made. */
  find(id: string): Promise<VectorStore | undefined>;
  /** Returns the stores of an owner, oldest first, also those that another instance has just made. */
  listOf(ownerId: string): Promise<readonly VectorStore[]>;
  /** Removes a store with all its files; returns false if there is none. */
  remove(id: string, options?: StoreRemoval): Promise<boolean>;
  /**
   * Adds a file completely or not at all. The same name again is another file. If its passages
   * cannot be embedded it is added without embeddings, with a warning.
   */
  addFile(
    storeId: string,
    file: NewFile,
    options?: FileChange,
  ): Promise<VectorStoreOutcome<AddedFile>>;
  /**
   * Returns the files of a store that have not expired, oldest first; `undefined` if there is no such
   * store.
   */
  files(storeId: string): Promise<readonly VectorStoreFile[] | undefined>;
  /**
   * Returns a part of the text of a file, beginning with a passage, counted from 0; `undefined` if the
   * file was removed meanwhile.
   */
  text(file: VectorStoreFile, from: number): Promise<FileText | undefined>;
  /**
   * Replaces the attributes of a file, by which later searches filter; `undefined` if there is no such
   * file.
   */
  setAttributes(
    storeId: string,
    fileId: string,
    attributes: FileAttributes,
  ): Promise<VectorStoreFile | undefined>;
  /** Removes a file; returns false if there is none. */
  removeFile(storeId: string, fileId: string, options?: FileChange): Promise<boolean>;
  /**
   * Removes what a store has of a caller's file, also after its expiry; returns false if it has
   * nothing.
   */
  removeText(
    storeId: string,
    file: { readonly sourceId: string; readonly except?: string | undefined },
  ): Promise<boolean>;
  /**
   * Returns the space of the embeddings in force; `undefined` if only full-text search is
   * configured.
   */
  embeddingSpace(): string | undefined;
  /** Embeds the passages of a file, unless they have embeddings of the space in force. */
  embedFile(
    storeId: string,
    fileId: string,
    options?: { readonly signal?: AbortSignal | undefined } & FileChange,
  ): Promise<EmbedOutcome>;
  /**
   * Returns the best passages of an owner's stores, best first. Rejects with the reason of the
   * signal.
   */
  search(
    ownerId: string,
    query: VectorStoreQuery,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<VectorStoreOutcome<readonly SearchHit[]>>;
  /** Stops its background work. */
  close(): Promise<void>;
}
