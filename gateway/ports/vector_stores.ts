/** Files of one wallet that its keys may search. */
export interface VectorStore {
  /** `vs_…` */
  readonly id: string;
  /** The wallet whose keys find it. */
  readonly ownerId: string;
  readonly name: string;
  /** Unix time in milliseconds. */
  readonly createdAtMs: number;
  readonly files: number;
  readonly passages: number;
  /** UTF-8 bytes of all passages. */
  readonly textBytes: number;
  /** Counts the changes of its files. */
  readonly revision: number;
  /** What has embeddings, by their space. @default {nothing} */
  readonly embeddings?: Readonly<Record<string, EmbeddingCounts>> | undefined;
}

/** How much of a store has embeddings of one space. */
export interface EmbeddingCounts {
  readonly passages: number;
  /** Bytes of their vectors. */
  readonly bytes: number;
}

/** The embeddings of a file: a vector for each of its passages. */
export interface FileEmbeddings {
  /** `emb_…`, never used again. */
  readonly id: string;
  /** What they may be compared with: the model and the dimensions asked for. */
  readonly space: string;
  /** Numbers in a vector. */
  readonly dimensions: number;
}

/** What the operator knows of a file, to filter by. */
export type FileAttributes = Readonly<Record<string, string | number | boolean>>;

/** A file of a vector store: its text is kept, its bytes are not. */
export interface VectorStoreFile {
  /** `file_…` */
  readonly id: string;
  readonly storeId: string;
  readonly filename: string;
  readonly mediaType: string;
  /** Bytes of the file as it came. */
  readonly sizeBytes: number;
  readonly passages: number;
  /** UTF-8 bytes of its passages. */
  readonly textBytes: number;
  /** Unix time in milliseconds. */
  readonly createdAtMs: number;
  readonly attributes: FileAttributes;
  /** @default {none: the file is found by full text alone} */
  readonly embeddings?: FileEmbeddings | undefined;
}

/** A file that has been added. */
export interface AddedFile extends VectorStoreFile {
  /** Why it has no embeddings, where it should have some: a sentence for the operator. */
  readonly warning?: string | undefined;
}

/** A file to be added. */
export interface NewFile {
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly attributes?: FileAttributes | undefined;
}

/** Which files count, as OpenAI's `file_search` writes it. */
export type AttributeFilter =
  | {
    readonly type: "eq" | "ne" | "gt" | "gte" | "lt" | "lte";
    readonly key: string;
    readonly value: string | number | boolean;
  }
  | {
    readonly type: "in" | "nin";
    readonly key: string;
    readonly value: readonly (string | number | boolean)[];
  }
  | { readonly type: "and" | "or"; readonly filters: readonly AttributeFilter[] };

/** What is looked for, and where. */
export interface VectorStoreQuery {
  /** At most 20. */
  readonly storeIds: readonly string[];
  readonly text: string;
  /** 1 to 50. @default {20} */
  readonly maxResults?: number | undefined;
  /** Hits below are left out, 0 to 1. @default {0} */
  readonly scoreThreshold?: number | undefined;
  readonly filter?: AttributeFilter | undefined;
}

/** A passage that was found. */
export interface SearchHit {
  readonly storeId: string;
  readonly fileId: string;
  readonly filename: string;
  /**
   * 0 to 1: the share of the query's words that the passage has, rare words counting more; where the
   * passage and the query have embeddings, the mean of that and of their cosine, at least 0.
   */
  readonly score: number;
  readonly text: string;
  readonly attributes: FileAttributes;
}

/** Why something was not done. */
export type VectorStoreRefusal =
  /** Unknown, or another owner's: both look the same. */
  | { readonly code: "store_not_found"; readonly id: string }
  /** A limit is reached; the message names it. */
  | { readonly code: "full"; readonly message: string }
  | { readonly code: "too_large"; readonly message: string }
  | { readonly code: "unsupported_media_type"; readonly message: string }
  /** The file's text cannot be had: it is damaged, encrypted, or has none. */
  | { readonly code: "unreadable"; readonly message: string };

/** What was asked for, or why not. */
export type VectorStoreOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: VectorStoreRefusal };

/** What was embedded, or why not. */
export type EmbedOutcome =
  | { readonly ok: true; readonly value: VectorStoreFile }
  | {
    readonly ok: false;
    /** `off`: no embeddings are configured. `failed`: the upstream did not embed them. */
    readonly code: "file_not_found" | "off" | "full" | "failed";
    readonly message: string;
  };

/** The gateway's own vector stores: what `file_search` searches. */
export interface VectorStores {
  create(name: string, options: { ownerId: string }): Promise<VectorStoreOutcome<VectorStore>>;
  /** Oldest first; of one owner, or of all. */
  list(ownerId?: string): readonly VectorStore[];
  get(id: string): VectorStore | undefined;
  /** Removes a store with all its files; false where there is none. */
  remove(id: string): Promise<boolean>;
  /**
   * Adds a file, whole or not at all. The same name again is another file. Where its passages cannot
   * be embedded it is added without, with a warning.
   */
  addFile(storeId: string, file: NewFile): Promise<VectorStoreOutcome<AddedFile>>;
  /** Oldest first; `undefined` where there is no such store. */
  files(storeId: string): Promise<readonly VectorStoreFile[] | undefined>;
  /** False where there is no such file. */
  removeFile(storeId: string, fileId: string): Promise<boolean>;
  /** Space of the embeddings in force; `undefined` where full text alone is searched. */
  embeddingSpace(): string | undefined;
  /** Embeds the passages of a file, unless they have embeddings of the space in force. */
  embedFile(
    storeId: string,
    fileId: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<EmbedOutcome>;
  /** The best passages of an owner's stores, best first. Rejects with the reason of the signal. */
  search(
    ownerId: string,
    query: VectorStoreQuery,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<VectorStoreOutcome<readonly SearchHit[]>>;
  /** Ends what runs beside the gateway. */
  close(): Promise<void>;
}
