/**
 * Answers of the vector stores, and what they say of a file.
 *
 * @module
 */

import type {
  AddedFile,
  EmbedOutcome,
  VectorStoreFile,
  VectorStoreRefusal,
} from "../ports/vector_stores.ts";

/** Returns a refusal. */
export function refused(
  refusal: VectorStoreRefusal,
): { readonly ok: false; readonly refusal: VectorStoreRefusal } {
  return { ok: false, refusal };
}

/** Returns the outcome of embedding a file that is not there. */
export function unknownFile(storeId: string, fileId: string): EmbedOutcome {
  const message = `There is no file "${fileId}" in vector store "${storeId}"`;
  return { ok: false, code: "file_not_found", message };
}

/** Returns a file that was added without the embeddings that it should have. */
export function warned(
  file: VectorStoreFile,
  { problem }: { readonly problem: string },
): AddedFile {
  return { ...file, warning: `"${file.filename}" has no embeddings: ${problem}` };
}

/** Returns the size of texts together, in UTF-8 bytes. */
export function utf8Bytes(texts: readonly string[]): number {
  const encoder = new TextEncoder();
  return texts.reduce((sum, text) => sum + encoder.encode(text).length, 0);
}
