import type { CallerFile } from "../ports/file_store.ts";
import { StoreError } from "../ports/store_error.ts";
import type { PartKind } from "./part.ts";

/** A file with its content, which is at most as large as an upload may be. */
interface WholeFile {
  readonly file: CallerFile;
  readonly parts: readonly Uint8Array[];
}

/** The source has checked the room already. */
const ANY_ROOM = { maxBytes: Infinity, maxFiles: Infinity };

/** Files of callers. The parts of a copy are those that the store of the source reads. */
export const callerFiles: PartKind<WholeFile> = {
  name: "files of callers",
  async *each({ callerFiles }) {
    for await (const file of callerFiles.all()) {
      yield { file, parts: await Array.fromAsync(callerFiles.content(file)) };
    }
  },
  async put({ callerFiles }, [item]) {
    if (item === undefined) return;
    const { file, parts } = item;
    if (await callerFiles.get(file.ownerId, file.id) !== undefined) return;
    await callerFiles.begin(file.id, file.createdAtMs);
    for (const [number, part] of parts.entries()) {
      await callerFiles.writePart(file.id, number, part);
    }
    const finished = await callerFiles.finish(file, ANY_ROOM);
    if (finished !== "stored") throw new StoreError(`Cannot copy file "${file.id}": ${finished}`);
  },
  atOnce: 1,
  // Stores cut a file differently.
  compared: ({ file, parts }) => ({ file, content: joined(parts) }),
};

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
