/**
 * Files of callers on the wire.
 *
 * Shapes follow OpenAI's public API reference; type tests hold them against the types of the
 * `openai` package. The endpoints are an extension of the service.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Purposes of files that the service takes: both are read by `file_search`. */
export type FilePurpose = "assistants" | "user_data";

/** Expiry of a file, counted from its upload. */
export interface FileExpiry {
  /** Always this word. */
  anchor: "created_at";
  /** 3 600 to 2 592 000: an hour to 30 days. */
  seconds: number;
}

/** A file. */
export interface FileObject extends Extensible {
  /** Id of the file. */
  id: string;
  /** Always this word. */
  object: "file";
  /** Size in bytes. */
  bytes: number;
  /** Unix time in seconds. */
  created_at: number;
  /** Unix time in seconds after which it is gone; absent without an expiry. */
  expires_at?: number;
  /** The last part of the name that it was uploaded with. */
  filename: string;
  /** The purpose that it was uploaded for. */
  purpose: FilePurpose;
  /** Always this word: a file can be used once it has an id. */
  status: "processed";
}

/** Answer of `DELETE /openai/v1/files/{id}`. */
export interface FileDeleted extends Extensible {
  /** Id of the file. */
  id: string;
  /** Always this word. */
  object: "file";
  /** Always true. */
  deleted: boolean;
}

/** A page of a list, in OpenAI's shape. */
export interface ListPage<Item> extends Extensible {
  /** Always this word. */
  object: "list";
  /** The items of the page. */
  data: Item[];
  /** Id of the first item; null without one. */
  first_id: string | null;
  /** Id of the last item, for `after` of the next page; null without one. */
  last_id: string | null;
  /** True when items follow. */
  has_more: boolean;
}

/** Query of a list. */
export interface ListQuery {
  /** Maximum number of items of a page, up to 100. @default {20} */
  readonly limit?: number | undefined;
  /** By age: `asc` begins with the oldest. @default {"desc"} */
  readonly order?: "asc" | "desc" | undefined;
  /** Id of the item before the first one. */
  readonly after?: string | undefined;
  /** Id of the item after the last one. */
  readonly before?: string | undefined;
}

/** Query of `GET /openai/v1/files`, whose pages have up to 10 000 items, which is the default. */
export interface FileListQuery extends ListQuery {
  /** Purpose of the files. */
  readonly purpose?: FilePurpose | undefined;
}
