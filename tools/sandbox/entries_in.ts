import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import type { Folder } from "./folder.ts";

const MAX_ENTRIES = 20_000;

/** The kind of an entry: links are not followed. */
export type EntryKind = "file" | "folder" | "link" | "other";

/** An entry of a folder. */
export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
}

/**
 * Returns the entries of a folder, sorted by name; for a folder beyond the limit, some of them in
 * the system's order.
 */
export async function entriesIn(
  folder: Folder,
): Promise<{ readonly entries: readonly Entry[]; readonly isComplete: boolean }> {
  const entries: Entry[] = [];
  let isComplete = true;
  for await (const entry of await opendir(folder.path, { bufferSize: 256 })) {
    isComplete = entries.length < MAX_ENTRIES;
    if (!isComplete) break;
    entries.push({ name: entry.name, kind: kindOf(entry) });
  }
  return { entries: entries.sort(byName), isComplete };
}

function kindOf(entry: Dirent): EntryKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

function byName(one: Entry, other: Entry): number {
  return one.name < other.name ? -1 : 1;
}
