import type { BigIntStats } from "node:fs";
import type { ListDirResult, ListedEntry } from "../list_dir.ts";
import { explaining } from "../sandbox/faults.ts";
import { type Folder, isMissing, look } from "../sandbox/folder.ts";
import { namesIn } from "../sandbox/names_in.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";

/** What is listed. */
export interface Listing {
  /** The folder. */
  readonly path: string;
  /** Most entries to return. */
  readonly maxEntries: number;
}

/** Lists a folder in a workspace. */
export async function listFolder(
  workspace: Workspace,
  { path, maxEntries }: Listing,
): Promise<ListDirResult> {
  return await explaining(`list ${quoted(path)}`, async () => {
    const place = await workspace.locate(path);
    await workspace.refuseDenied(path, place);
    const listed = await workspace.withFolder(
      place.parts,
      (folder) => folder.steady(() => entriesOf(folder, maxEntries)),
    );
    return { path: place.path, ...listed };
  });
}

async function entriesOf(folder: Folder, maxEntries: number): Promise<Omit<ListDirResult, "path">> {
  const { names, isComplete } = await namesIn(folder);
  const entries: ListedEntry[] = [];
  for (const name of names.slice(0, maxEntries)) {
    const entry = await entryOf(folder, name);
    if (entry !== undefined) entries.push(entry);
  }
  return { entries, truncated: !isComplete || names.length > maxEntries };
}

async function entryOf(folder: Folder, name: string): Promise<ListedEntry | undefined> {
  try {
    const stats = await look(folder.at(name));
    const type = typeOf(stats);
    return type === "file" ? { name, type, size_bytes: Number(stats.size) } : { name, type };
  } catch (error) {
    // It went away since, or its name is not text that leads back to it.
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function typeOf(stats: BigIntStats): ListedEntry["type"] {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "other";
}
