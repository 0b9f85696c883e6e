/**
 * The refusals of files, and their texts.
 *
 * @module
 */

import type {
  AddedFile,
  EmbedOutcome,
  NewFile,
  VectorStore,
  VectorStoreFile,
  VectorStoreRefusal,
} from "../ports/vector_stores.ts";
import { MAX_FILE_BYTES, MAX_FILES, MAX_PASSAGES } from "./limits.ts";
import { isReadable, MEDIA_TYPES } from "./media_types.ts";

/** Reason of a refusal when there is no room for any owner. */
export const ALL_FULL = "The room of all vector stores is used up";
/** Reason why nothing is embedded. */
export const NO_EMBEDDER = 'Cannot embed: the configuration names no "vectorStores.embeddings"';

/** Returns why a file is refused as it is; `undefined` if it is not. */
export function formRefusal({ bytes, mediaType }: NewFile): VectorStoreRefusal | undefined {
  if (bytes.length > MAX_FILE_BYTES) {
    return {
      code: "too_large",
      message: `The file has ${bytes.length} bytes, more than ${MAX_FILE_BYTES}`,
    };
  }
  if (isReadable(mediaType)) return undefined;
  const types = [...new Set(Object.values(MEDIA_TYPES))].join(", ");
  return {
    code: "unsupported_media_type",
    message: `Cannot read files of type "${mediaType}"; send one of ${types}`,
  };
}

/**
 * Returns the refusal of a file for whose text its owner has no room, however short it is: it is not
 * read in vain.
 */
export function ownerRefusal(
  stores: readonly VectorStore[],
  store: VectorStore | undefined,
  { ownerMaxTextBytes: max = Infinity }: NewFile,
): VectorStoreRefusal | undefined {
  if (store === undefined || max === Infinity) return undefined;
  const own = stores.filter(({ isCallers, ownerId }) => (
    isCallers === true && ownerId === store.ownerId
  ));
  const used = own.reduce((sum, { textBytes }) => sum + textBytes, 0);
  return used < max ? undefined : { code: "full", message: ownerFull(max) };
}

/** Returns the refusal of a store that has no place for a file; `undefined` if it has one. */
export function roomRefusal(
  { files, id, passages }: VectorStore,
  more: number,
): VectorStoreRefusal | undefined {
  if (files >= MAX_FILES) {
    return { code: "full", message: `Vector store "${id}" has ${MAX_FILES} files already` };
  }
  if (passages + more <= MAX_PASSAGES) return undefined;
  const message = `Vector store "${id}" would have more than ${MAX_PASSAGES} passages`;
  return { code: "full", message };
}

/** Returns the reason of a refusal when an owner's room for text is used up. */
export function ownerFull(maxTextBytes = 0): string {
  return `The wallet's vector stores would have more than the ${maxTextBytes} bytes of text that ` +
    "the key's policy allows; remove files from them, or delete some";
}

/** Returns the outcome of embedding a file that is not there. */
export function unknownFile(storeId: string, fileId: string): EmbedOutcome {
  const message = `There is no file "${fileId}" in vector store "${storeId}"`;
  return { ok: false, code: "file_not_found", message };
}

/** Returns a file with the reason why it has no embeddings. */
export function warned(file: VectorStoreFile, { problem }: { problem: string }): AddedFile {
  return { ...file, warning: `"${file.filename}" has no embeddings: ${problem}` };
}

/** Returns the outcome of a refusal. */
export function refused(
  refusal: VectorStoreRefusal,
): { ok: false; refusal: VectorStoreRefusal } {
  return { ok: false, refusal };
}
