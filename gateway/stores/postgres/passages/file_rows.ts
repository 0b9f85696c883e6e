/**
 * The rows of files: their descriptions, and the segments of their passages and vectors.
 *
 * @module
 */

import type { VectorStoreFile } from "../../../ports/vector_stores.ts";
import type { SegmentSet } from "../../kv/values/passage_segments.ts";
import type { Sql, Transaction } from "../connection.ts";
import { rowsOf } from "../statement.ts";
import { textId } from "../text_id.ts";

/** Names a file. */
export type FileName = Pick<VectorStoreFile, "id" | "storeId">;

/** A file with the positions of its passages. */
export interface FileRow {
  readonly file: VectorStoreFile;
  /** Number of the first passage of each segment. */
  readonly starts: readonly number[];
}

/** Segments written by one statement, at most 60 KiB each. */
const SEGMENTS_AT_ONCE = 64;

/** Reads a file; `undefined` if there is none. */
export async function readFile(
  sql: Sql | Transaction,
  { storeId, id }: FileName,
): Promise<FileRow | undefined> {
  const [row] = await sql<{ data: string; starts: number[] }[]>`
    select data, starts from vector_file
    where store_id = ${textId(storeId)} and id = ${textId(id)}
  `;
  return row && { file: JSON.parse(row.data), starts: row.starts };
}

/** Writes a file, in the place of the one that has its id. */
export async function writeFile(sql: Transaction, { file, starts }: FileRow): Promise<void> {
  await sql`
    insert into vector_file (store_id, id, starts, data)
    values (${textId(file.storeId)}, ${textId(file.id)}, ${[...starts]}::int[],
      ${JSON.stringify(file)})
    on conflict (store_id, id) do update set starts = excluded.starts, data = excluded.data
  `;
}

/** Writes segments that do not exist. */
export async function writeSegments(
  sql: Transaction,
  storeId: string,
  { id, rows }: SegmentSet,
): Promise<void> {
  for (let from = 0; from < rows.length; from += SEGMENTS_AT_ONCE) {
    const segments = rows.slice(from, from + SEGMENTS_AT_ONCE).map(({ value }, at) => {
      const content = value instanceof Uint8Array ? value : new Uint8Array();
      return { store_id: textId(storeId), part_id: textId(id), number: from + at, content };
    });
    await sql`insert into vector_segment ${rowsOf(segments)}`;
  }
}

/** Deletes the segments of files or embeddings. */
export async function deleteSegments(
  sql: Transaction,
  storeId: string,
  partIds: readonly string[],
): Promise<void> {
  await sql`
    delete from vector_segment
    where store_id = ${textId(storeId)} and part_id = any(${partIds.map(textId)})
  `;
}
