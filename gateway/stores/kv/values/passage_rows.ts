/**
 * Rows of vector stores and their files in Deno KV, beside their segments.
 *
 * @module
 */

import type { VectorStore, VectorStoreFile } from "../../../ports/vector_stores.ts";
import { jsonRow, keyPart, type Row, textOf } from "../rows.ts";

/** A file with the positions of its passages. */
export interface FileRow {
  readonly file: VectorStoreFile;
  /** Number of the first passage of each segment. */
  readonly segments: readonly number[];
  /** Number of segments with vectors. @default {0} */
  readonly vectorSegments?: number | undefined;
}

/** Segments without a file: of one being added, or removed. */
export interface Leftover {
  /** Id of the file, or of its embeddings. */
  readonly fileId: string;
  readonly segments: number;
}

/** A store as it is stored. */
export interface StoreRow extends VectorStore {
  /** True for a removed one whose files are not all cleared away. @default {false} */
  readonly isRemoved?: boolean | undefined;
}

/** The ids that name a file. */
export type FileName = Pick<VectorStoreFile, "id" | "storeId">;

/** Returns the segments of a removed file: of its passages, then of its vectors. */
export function leftovers({ file, segments, vectorSegments = 0 }: FileRow): Leftover[] {
  const segmentSets = [{ fileId: file.id, segments: segments.length }];
  const { embeddings } = file;
  if (embeddings === undefined) return segmentSets;
  return [...segmentSets, { fileId: embeddings.id, segments: vectorSegments }];
}

/** Returns the key of a store's row. */
export function storeKey(id: string): Deno.KvKey {
  return ["vector_store", keyPart(id)];
}

/** Returns the row of a store. */
export function storeRow(store: StoreRow): Row {
  return jsonRow(storeKey(store.id), store);
}

/** Returns the key of a file's row. */
export function fileKey({ storeId, id }: FileName): Deno.KvKey {
  return ["vector_file", keyPart(storeId), keyPart(id)];
}

/** Returns the key of the row that names leftover segments. */
export function leftoverKey(fileId: string): Deno.KvKey {
  return ["vector_leftover", keyPart(fileId)];
}

/** Returns the row that names leftover segments. */
export function leftoverRow(leftover: Leftover): Row {
  return jsonRow(leftoverKey(leftover.fileId), leftover);
}

/** Returns what a row of JSON holds. */
export function decode<T>(value: Uint8Array): T {
  return JSON.parse(textOf(value)) as T;
}
