/**
 * Vector stores of callers on the wire.
 *
 * Shapes follow OpenAI's public API reference; type tests hold them against the types of the
 * `openai` package. The endpoints are an extension of the service.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ListQuery } from "./files.ts";

/** Expiry of a vector store, counted from its last search or its last new file. */
export interface VectorStoreExpiry {
  /** Always this word. */
  anchor: "last_active_at";
  /** 1 to 365. */
  days: number;
}

/** Value of an attribute of a file. */
export type AttributeValue = string | number | boolean;

/** A filter of files by their attributes. */
export type AttributeFilter =
  | {
    readonly type: "eq" | "ne" | "gt" | "gte" | "lt" | "lte";
    readonly key: string;
    readonly value: AttributeValue;
  }
  | {
    readonly type: "in" | "nin";
    readonly key: string;
    readonly value: readonly AttributeValue[];
  }
  | { readonly type: "and" | "or"; readonly filters: readonly AttributeFilter[] };

/** Sizes of passages. The service has one size, and takes it or `auto`. */
export type ChunkingStrategy =
  | { readonly type: "auto" }
  | {
    readonly type: "static";
    readonly static: {
      readonly max_chunk_size_tokens: number;
      readonly chunk_overlap_tokens: number;
    };
  };

/** Body of `POST /openai/v1/vector_stores`. */
export interface VectorStoreRequest {
  /** Name of the store, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Accepted and not stored. */
  readonly description?: string | null | undefined;
  /** Ids of files to add, at most 100. */
  readonly file_ids?: readonly string[] | undefined;
  /** Up to 16 pairs of text. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** Expiry. @default {none} */
  readonly expires_after?: Readonly<VectorStoreExpiry> | null | undefined;
  /** Sizes of passages. @default {auto} */
  readonly chunking_strategy?: ChunkingStrategy | undefined;
}

/** Body of `POST /openai/v1/vector_stores/{id}`. A field that is left out stays as it is. */
export interface VectorStoreUpdate {
  /** The new name. */
  readonly name?: string | null | undefined;
  /** The new pairs in place of all present ones; null: none. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** The new expiry; null: none. */
  readonly expires_after?: Readonly<VectorStoreExpiry> | null | undefined;
}

/** Numbers of files by their status. */
export interface FileCounts extends Extensible {
  /** Always 0: a file is added before its answer comes. */
  in_progress: number;
  /** Files that were read. */
  completed: number;
  /** Files that could not be read. */
  failed: number;
  /** Always 0. */
  cancelled: number;
  /** All of them. */
  total: number;
}

/** A vector store. */
export interface VectorStore extends Extensible {
  /** Id of the store, `vs_…`. */
  id: string;
  /** Always this word. */
  object: "vector_store";
  /** Unix time in seconds. */
  created_at: number;
  /** Name of the store; empty without one. */
  name: string;
  /** UTF-8 bytes of its text. */
  usage_bytes: number;
  /** Numbers of its files. */
  file_counts: FileCounts;
  /** Always this word. */
  status: "completed";
  /** Its expiry; null without one. */
  expires_after: VectorStoreExpiry | null;
  /** Unix time in seconds after which it is gone; null without an expiry. */
  expires_at: number | null;
  /** Unix time in seconds of its last search or its last new file. */
  last_active_at: number;
  /** Pairs of text. */
  metadata: Record<string, string>;
}

/** Answer of `DELETE /openai/v1/vector_stores/{id}`. */
export interface VectorStoreDeleted extends Extensible {
  /** Id of the store. */
  id: string;
  /** Always this word. */
  object: "vector_store.deleted";
  /** Always true. */
  deleted: boolean;
}

/** Body of `POST /openai/v1/vector_stores/{id}/search`. */
export interface VectorStoreSearch {
  /** One question, or several that are searched together. */
  readonly query: string | readonly string[];
  /** Filter of the files by their attributes. */
  readonly filters?: AttributeFilter | null | undefined;
  /** 1 to 50. @default {10} */
  readonly max_num_results?: number | null | undefined;
  /** Least score of a result, and the ranker, which has no effect. */
  readonly ranking_options?:
    | {
      readonly ranker?: string | undefined;
      /** 0 to 1. */
      readonly score_threshold?: number | null | undefined;
    }
    | null
    | undefined;
  /** Accepted; a query is searched as it is. */
  readonly rewrite_query?: boolean | null | undefined;
}

/** A passage that matches a query. */
export interface VectorStoreSearchResult extends Extensible {
  /** Id of its file. */
  file_id: string;
  /** Name of its file. */
  filename: string;
  /** 0 to 1. */
  score: number;
  /** Attributes of its file. */
  attributes: Record<string, AttributeValue>;
  /** The text of the passage. */
  content: { type: "text"; text: string }[];
}

/** Answer of `POST /openai/v1/vector_stores/{id}/search`. */
export interface VectorStoreSearchPage extends Extensible {
  /** Always this word. */
  object: "vector_store.search_results.page";
  /** The queries. */
  search_query: string[];
  /** The passages, best first. */
  data: VectorStoreSearchResult[];
  /** Always false: there is one page. */
  has_more: boolean;
  /** Always null. */
  next_page: string | null;
}

/** Body of `POST /openai/v1/vector_stores/{id}/files`. */
export interface VectorStoreFileRequest {
  /** Id of the file. */
  readonly file_id: string;
  /** Up to 16 attributes to filter by. */
  readonly attributes?: Readonly<Record<string, AttributeValue>> | null | undefined;
  /** Sizes of passages. @default {auto} */
  readonly chunking_strategy?: ChunkingStrategy | undefined;
}

/** A file of a vector store. */
export interface VectorStoreFile extends Extensible {
  /** Id of the file. */
  id: string;
  /** Always this word. */
  object: "vector_store.file";
  /** UTF-8 bytes of its text. */
  usage_bytes: number;
  /** Unix time in seconds at which it was added. */
  created_at: number;
  /** Id of the store. */
  vector_store_id: string;
  /** `failed`: the file cannot be read. */
  status: "completed" | "failed";
  /** The reason why it cannot be read; null for one that was. */
  last_error:
    | { code: "unsupported_file" | "invalid_file" | "server_error"; message: string }
    | null;
  /** Sizes of its passages. */
  chunking_strategy: {
    type: "static";
    static: { max_chunk_size_tokens: number; chunk_overlap_tokens: number };
  };
  /** Its attributes. */
  attributes: Record<string, AttributeValue>;
}

/** Body of `POST /openai/v1/vector_stores/{id}/files/{file_id}`. */
export interface VectorStoreFileUpdate {
  /** The new attributes in place of all present ones; null: none. */
  readonly attributes: Readonly<Record<string, AttributeValue>> | null;
}

/** Query of `GET /openai/v1/vector_stores/{id}/files/{file_id}/content`. */
export interface VectorStoreFileContentQuery {
  /** `next_page` of the answer before. @default {the text begins} */
  readonly page?: string | undefined;
}

/** Answer of `GET /openai/v1/vector_stores/{id}/files/{file_id}/content`. */
export interface VectorStoreFileContent extends Extensible {
  /** Always this word. */
  object: "vector_store.file_content.page";
  /** One part of the text, at most 1 Mi characters; none for a file that could not be read. */
  data: { type: "text"; text: string }[];
  /** True if the text goes on. */
  has_more: boolean;
  /** The `page` that has more of it; null at its end. */
  next_page: string | null;
}

/** Answer of `DELETE /openai/v1/vector_stores/{id}/files/{file_id}`. */
export interface VectorStoreFileDeleted extends Extensible {
  /** Id of the file. */
  id: string;
  /** Always this word. */
  object: "vector_store.file.deleted";
  /** Always true. */
  deleted: boolean;
}

/** Query of `GET /openai/v1/vector_stores/{id}/files`, and of the files of a batch. */
export interface VectorStoreFileListQuery extends ListQuery {
  /** Status of the files. */
  readonly filter?: "in_progress" | "completed" | "failed" | "cancelled" | undefined;
}

/**
 * Body of `POST /openai/v1/vector_stores/{id}/file_batches`: either `file_ids` or `files`, with 1 to
 * 100 files.
 */
export interface VectorStoreFileBatchRequest {
  /** Ids of the files. */
  readonly file_ids?: readonly string[] | undefined;
  /** The files, each with attributes of its own. */
  readonly files?: readonly VectorStoreFileRequest[] | undefined;
  /** Up to 16 attributes to filter by, of each file of `file_ids`. */
  readonly attributes?: Readonly<Record<string, AttributeValue>> | null | undefined;
  /** Sizes of passages. @default {auto} */
  readonly chunking_strategy?: ChunkingStrategy | undefined;
}

/** Files that were added to a vector store together. */
export interface VectorStoreFileBatch extends Extensible {
  /** Id of the batch, `vsfb_…`. */
  id: string;
  /** Always this word. */
  object: "vector_store.files_batch";
  /** Unix time in seconds at which its first file was added. */
  created_at: number;
  /** Id of the store. */
  vector_store_id: string;
  /** Always this word, also where files could not be read. */
  status: "completed";
  /** Numbers of its files that are in the store. */
  file_counts: FileCounts;
}
