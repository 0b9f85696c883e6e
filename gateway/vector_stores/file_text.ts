import type { PassageStore } from "../ports/passage_store.ts";
import type { FileText, VectorStoreFile } from "../ports/vector_stores.ts";
import { TEXT_PART_CHARS } from "./limits.ts";
import { repeatedLength } from "./split_passages.ts";

/**
 * Reads the text of a file from a passage on, as many whole passages as fit into {@linkcode
 * TEXT_PART_CHARS}, and one at least. What a passage repeats of the one before is left out, so that
 * the parts of a file joined are its text. Returns `undefined` if the file is removed meanwhile.
 */
export async function readText(
  store: Pick<PassageStore, "passages">,
  file: VectorStoreFile,
  { from, maxChars = TEXT_PART_CHARS }: {
    readonly from: number;
    readonly maxChars?: number | undefined;
  },
): Promise<FileText | undefined> {
  const parts: string[] = [];
  let chars = 0;
  // The passage before the first one says what that one repeats.
  let at = Math.max(0, from - 1);
  let before = "";
  for await (const passages of store.passages(file, at)) {
    for (const passage of passages) {
      if (at >= from) {
        const part = at === 0 ? passage : continuation(passage, before);
        if (parts.length > 0 && chars + part.length > maxChars) {
          return { text: parts.join(""), next: at };
        }
        parts.push(part);
        chars += part.length;
      }
      before = passage;
      at++;
    }
  }
  return at < file.passages ? undefined : { text: parts.join("") };
}

/** Returns what a passage adds to the one before. */
function continuation(passage: string, before: string): string {
  const length = repeatedLength(passage, before);
  return length === 0 ? `\n${passage}` : passage.slice(length);
}
