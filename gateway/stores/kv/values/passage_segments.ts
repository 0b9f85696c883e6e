/**
 * Packs the files of vector stores into rows that fit a value.
 *
 * @module
 */

import type { VectorStore, VectorStoreFile } from "../../../ports/vector_stores.ts";
import { MAX_VALUE_BYTES } from "../limits.ts";
import { bytesOf, keyPart, type Row } from "../rows.ts";

/** The rows of a file's passages or vectors. */
export interface SegmentSet {
  /** Id of the file, or of its embeddings. */
  readonly id: string;
  readonly rows: readonly Row[];
}

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Returns the key of a segment. */
export function segmentKey(id: string, number: number): Deno.KvKey {
  return ["vector_segment", keyPart(id), number];
}

/**
 * Packs passages into as few values as possible; returns the number of the first passage of each.
 */
export function passageSegments(
  fileId: string,
  passages: readonly string[],
): SegmentSet & { readonly starts: readonly number[] } {
  const rows: Row[] = [];
  const starts: number[] = [];
  let texts: string[] = [];
  let bytes = 0;
  const flush = () => {
    const value = bytesOf(`[${texts.join(",")}]`);
    rows.push({ key: segmentKey(fileId, rows.length), value, bytes: value.length });
  };
  for (const [index, passage] of passages.entries()) {
    const text = JSON.stringify(passage);
    const size = bytesOf(text).length + 1;
    if (texts.length > 0 && bytes + size + 1 > MAX_VALUE_BYTES) {
      flush();
      texts = [];
      bytes = 0;
    }
    if (texts.length === 0) starts.push(index);
    texts.push(text);
    bytes += size;
  }
  if (texts.length > 0) flush();
  return { id: fileId, rows, starts };
}

/**
 * Returns the numbers of the segments with the passages from one on, and how many passages before it
 * each has. `starts` has the number of the first passage of each segment.
 */
export function segmentsFrom(
  starts: readonly number[],
  from: number,
): readonly { readonly number: number; readonly skip: number }[] {
  const all = starts.map((start, number) => ({ number, skip: Math.max(0, from - start) }));
  return all.slice(Math.max(0, starts.findLastIndex((start) => start <= from)));
}

/**
 * Packs the vectors of a file into as few values as possible, each vector in one of them. No
 * vectors give no rows.
 */
export function vectorSegments(
  { embeddings }: VectorStoreFile,
  vectors: Float32Array<ArrayBuffer>,
): SegmentSet {
  if (embeddings === undefined) return { id: "", rows: [] };
  const { dimensions, id } = embeddings;
  const atOnce = dimensions * Math.floor(MAX_VALUE_BYTES / FLOAT_BYTES / dimensions);
  const rows: Row[] = [];
  for (let from = 0; from < vectors.length; from += atOnce) {
    const part = vectors.subarray(from, from + atOnce);
    const value = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    rows.push({ key: segmentKey(id, rows.length), value, bytes: value.length });
  }
  return { id, rows };
}

/** Returns the vectors of a segment. Copied, because the bytes may begin at any offset. */
export function vectorsOf(value: Uint8Array): Float32Array<ArrayBuffer> {
  return new Float32Array(Uint8Array.from(value).buffer);
}

/** Returns the size of a file's vectors, in bytes. */
export function vectorBytes({ embeddings, passages }: VectorStoreFile): number {
  return passages * (embeddings?.dimensions ?? 0) * FLOAT_BYTES;
}

/** Returns the bytes of a vector store that count against the maximum of all. */
export function keptBytes({ embeddings = {}, textBytes }: VectorStore): number {
  return Object.values(embeddings).reduce((sum, { bytes }) => sum + bytes, textBytes);
}

/** True when callers of an owner made a store: it counts against their maximum. */
export function isOfCallers({ isCallers, ownerId }: VectorStore, owner: string): boolean {
  return isCallers === true && ownerId === owner;
}

/** Returns the UTF-8 bytes of the passages of vector stores. */
export function textBytesOf(stores: readonly Pick<VectorStore, "textBytes">[]): number {
  return stores.reduce((sum, { textBytes }) => sum + textBytes, 0);
}

/** Returns a vector store with a file added, removed, replaced, or changed in nothing that counts. */
export function changed(
  store: VectorStore,
  { added, removed }: {
    readonly added?: VectorStoreFile | undefined;
    readonly removed?: VectorStoreFile | undefined;
  } = {},
): VectorStore {
  const without = removed === undefined ? store : counted(store, removed, -1);
  const counts = added === undefined ? without : counted(without, added, 1);
  return { ...counts, revision: store.revision + 1 };
}

function counted(store: VectorStore, file: VectorStoreFile, sign: 1 | -1): VectorStore {
  return {
    ...store,
    files: store.files + sign,
    passages: store.passages + sign * file.passages,
    textBytes: store.textBytes + sign * file.textBytes,
    ...(file.failure === undefined ? {} : { failed: (store.failed ?? 0) + sign }),
    ...countedEmbeddings(store, file, sign),
  };
}

function countedEmbeddings(
  { embeddings }: VectorStore,
  file: VectorStoreFile,
  sign: 1 | -1,
): Pick<VectorStore, "embeddings"> {
  const space = file.embeddings?.space;
  if (space === undefined) return {};
  const { [space]: former = { passages: 0, bytes: 0 }, ...others } = embeddings ?? {};
  const passages = former.passages + sign * file.passages;
  if (passages === 0) return { embeddings: others };
  const bytes = former.bytes + sign * vectorBytes(file);
  return { embeddings: { ...others, [space]: { passages, bytes } } };
}
