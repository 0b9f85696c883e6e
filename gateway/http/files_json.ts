/**
 * Files and vector stores as OpenAI writes them.
 *
 * @module
 */

import type { z } from "zod";
import { ServiceFault } from "../domain/fault.ts";
import type { CallerFile } from "../ports/file_store.ts";
import type { FileText, SearchHit, VectorStore, VectorStoreFile } from "../ports/vector_stores.ts";
import { idTimeMs } from "../system/rng.ts";
import { OVERLAP_TOKENS, PASSAGE_TOKENS } from "../vector_stores/limits.ts";
import type {
  batchSchema,
  fileSchema,
  fileTextSchema,
  pageQuerySchema,
  storeFileSchema,
  storeHitsSchema,
  storeSchema,
} from "./schemas/files.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** Returns a file. */
export function fileJson(file: CallerFile): z.output<typeof fileSchema> {
  const { id, bytes, createdAtMs, expiresAtMs, filename, purpose } = file;
  return {
    id,
    object: "file",
    bytes,
    created_at: secondsOf(createdAtMs),
    ...(expiresAtMs === undefined ? {} : { expires_at: secondsOf(expiresAtMs) }),
    filename,
    purpose,
    status: "processed",
  };
}

/** Returns a vector store. */
export function storeJson(store: VectorStore): z.output<typeof storeSchema> {
  const { createdAtMs, expiresAfterDays: days, failed = 0, files, id, metadata, name } = store;
  const lastActiveAt = secondsOf(store.lastActiveAtMs ?? createdAtMs);
  return {
    id,
    object: "vector_store",
    created_at: secondsOf(createdAtMs),
    name,
    usage_bytes: store.textBytes,
    file_counts: countsOf(files - failed, failed),
    status: "completed",
    expires_after: days === undefined ? null : { anchor: "last_active_at", days },
    expires_at: days === undefined ? null : lastActiveAt + days * DAY_SECONDS,
    last_active_at: lastActiveAt,
    metadata: { ...metadata },
  };
}

/** Returns a file of a vector store. */
export function storeFileJson(file: VectorStoreFile): z.output<typeof storeFileSchema> {
  const { attributes, createdAtMs, failure, sourceId = file.id, storeId, textBytes } = file;
  const sizes = { max_chunk_size_tokens: PASSAGE_TOKENS, chunk_overlap_tokens: OVERLAP_TOKENS };
  return {
    id: sourceId,
    object: "vector_store.file",
    usage_bytes: textBytes,
    created_at: secondsOf(createdAtMs),
    vector_store_id: storeId,
    status: failure === undefined ? "completed" : "failed",
    last_error: failure ?? null,
    chunking_strategy: { type: "static", static: sizes },
    attributes: { ...attributes },
  };
}

/** Returns a part of a text, as one item; a file that could not be read has none. */
export function fileTextJson(
  { next, text, textId }: FileText & { readonly textId: string },
): z.output<typeof fileTextSchema> {
  return {
    object: "vector_store.file_content.page",
    data: text === "" ? [] : [{ type: "text", text }],
    has_more: next !== undefined,
    next_page: next === undefined ? null : `${textId}.${next}`,
  };
}

/** Returns a batch by its files, of which there is at least one. */
export function batchJson(
  id: string,
  files: readonly VectorStoreFile[],
): z.output<typeof batchSchema> {
  const failed = files.filter(({ failure }) => failure !== undefined).length;
  return {
    id,
    object: "vector_store.files_batch",
    created_at: secondsOf(files[0]?.createdAtMs ?? 0),
    vector_store_id: files[0]?.storeId ?? "",
    status: "completed",
    file_counts: countsOf(files.length - failed, failed),
  };
}

/** Returns the results of a search. */
export function hitsJson(
  query: string | readonly string[],
  hits: readonly SearchHit[],
): z.output<typeof storeHitsSchema> {
  return {
    object: "vector_store.search_results.page",
    search_query: [query].flat(),
    data: hits.map(({ attributes, fileId, filename, score, text }) => ({
      file_id: fileId,
      filename,
      score,
      attributes: { ...attributes },
      content: [{ type: "text", text }],
    })),
    has_more: false,
    next_page: null,
  };
}

/** Returns a page of items that are given oldest first. */
export function pageJson<Item extends Listed>(
  items: readonly Item[],
  { after, before, limit, order }: z.output<typeof pageQuerySchema>,
) {
  const ordered = order === "asc" ? items : items.toReversed();
  const start = after === undefined ? 0 : placeOf(ordered, { id: after, param: "after", order }).to;
  const end = before === undefined
    ? ordered.length
    : placeOf(ordered, { id: before, param: "before", order }).from;
  const data = ordered.slice(start, Math.min(end, start + Number(limit)));
  return listJson(data, start + data.length < end);
}

/** Returns a page with these items. */
export function listJson<Item extends Pick<Listed, "id">>(
  data: Item[],
  hasMore: boolean,
) {
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

interface Listed {
  readonly id: string;
  readonly object: string;
}

/**
 * Returns the place of an id. One that was deleted since has the place that its time gives it, so
 * that callers can delete while they go through a list.
 */
function placeOf(
  items: readonly Listed[],
  { id, param, order }: {
    readonly id: string;
    readonly param: string;
    readonly order: "asc" | "desc";
  },
): { readonly from: number; readonly to: number } {
  const at = items.findIndex((item) => item.id === id);
  if (at >= 0) return { from: at, to: at + 1 };
  if (!tellsPlace(id, items)) {
    const message = `There is no item with the id in ${param}`;
    throw new ServiceFault("invalid_request", { message, param });
  }
  const next = items.findIndex((item) => order === "asc" ? item.id > id : item.id < id);
  const place = next < 0 ? items.length : next;
  return { from: place, to: place };
}

/**
 * True where an id is of the items' kind and they are in the order of their ids. Files of a store are
 * not: they are in the order in which they were added.
 */
function tellsPlace(id: string, [first]: readonly Listed[]): boolean {
  if (idTimeMs(id) === undefined) return false;
  return first === undefined ||
    first.object !== "vector_store.file" && prefixOf(id) === prefixOf(first.id);
}

function prefixOf(id: string): string {
  return id.slice(0, id.lastIndexOf("_"));
}

function countsOf(completed: number, failed: number) {
  return { in_progress: 0, completed, failed, cancelled: 0, total: completed + failed };
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1_000);
}
