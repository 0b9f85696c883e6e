import { StoreError } from "../../../ports/store_error.ts";
import { MAX_ID_CHARS, MAX_NOTE_CHARS } from "../../kv/limits.ts";

/** Throws a {@linkcode StoreError} for texts of a command that are longer than stores take. */
export function assertTexts(
  { ids, note = "" }: { readonly ids: readonly string[]; readonly note?: string | undefined },
): void {
  for (const { length } of ids) {
    if (length <= MAX_ID_CHARS) continue;
    throw new StoreError(`Cannot write an id of ${length} characters: at most ${MAX_ID_CHARS}`);
  }
  if (note.length <= MAX_NOTE_CHARS) return;
  throw new StoreError(
    `Cannot write a note of ${note.length} characters: at most ${MAX_NOTE_CHARS}`,
  );
}
