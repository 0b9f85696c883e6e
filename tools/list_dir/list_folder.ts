import { explaining } from "../sandbox/faults.ts";
import { type Folder, isMissing, statusOf } from "../sandbox/folder.ts";
import { entriesIn, type Entry } from "../sandbox/entries_in.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";

/** An entry of a folder. */
export interface ListedEntry {
  /** Name of the entry. */
  readonly name: string;
  /** Kind of the entry; `other` are pipes, sockets and devices. */
  readonly type: "file" | "folder" | "link" | "other";
  /** Size of a file in bytes. */
  readonly size_bytes?: number;
}

/** Result of `list_dir` for the model. */
export interface ListDirResult {
  /** Path of the folder from the workspace on, with all links resolved. */
  readonly path: string;
  /** Entries of the folder. */
  readonly entries: readonly ListedEntry[];
  /** True when the folder has more entries than were returned. */
  readonly truncated: boolean;
}

/** Input of a listing. */
export interface Listing {
  /** The folder. */
  readonly path: string;
  /** Largest number of entries to return. */
  readonly maxEntries: number;
}

/** Lists a folder in a workspace. */
export async function listFolder(
  workspace: Workspace,
  { path, maxEntries }: Listing,
): Promise<ListDirResult> {
  return await explaining({ what: `list ${quoted(path)}`, workspace }, async () => {
    const target = await workspace.locate(path);
    await workspace.refuseDenied(path, target);
    const listed = await workspace.withFolder(
      target.parts,
      (folder) => folder.readSteadily(() => listingOf(folder, maxEntries)),
    );
    return { path: target.path, ...listed };
  });
}

async function listingOf(folder: Folder, maxEntries: number): Promise<Omit<ListDirResult, "path">> {
  const { entries, isComplete } = await entriesIn(folder);
  const listed = await Promise.all(
    entries.slice(0, maxEntries).map((entry) => listedEntry(folder, entry)),
  );
  return {
    entries: listed.filter((entry) => entry !== undefined),
    truncated: !isComplete || entries.length > maxEntries,
  };
}

async function listedEntry(
  folder: Folder,
  { name, kind }: Entry,
): Promise<ListedEntry | undefined> {
  try {
    const { size } = await statusOf(folder.at(name));
    return kind === "file" ? { name, type: kind, size_bytes: Number(size) } : { name, type: kind };
  } catch (error) {
    // It was removed meanwhile, or its name is no valid text.
    if (isMissing(error)) return undefined;
    throw error;
  }
}
