import { explaining } from "../sandbox/faults.ts";
import { type Folder, isMissing, look } from "../sandbox/folder.ts";
import { entriesIn, type Entry } from "../sandbox/entries_in.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";

/** An entry of a folder. */
export interface ListedEntry {
  /** Its name. */
  readonly name: string;
  /** What it is; `other` are pipes, sockets and devices. */
  readonly type: "file" | "folder" | "link" | "other";
  /** Bytes of a file. */
  readonly size_bytes?: number;
}

/** What `list_dir` returns to the model. */
export interface ListDirResult {
  /** Where the folder is, from the workspace on, all links resolved. */
  readonly path: string;
  /** What is in it. */
  readonly entries: readonly ListedEntry[];
  /** Whether there is more than was returned. */
  readonly truncated: boolean;
}

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
  return await explaining({ what: `list ${quoted(path)}`, workspace }, async () => {
    const place = await workspace.locate(path);
    await workspace.refuseDenied(path, place);
    const listed = await workspace.withFolder(
      place.parts,
      (folder) => folder.steady(() => listingOf(folder, maxEntries)),
    );
    return { path: place.path, ...listed };
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
    const { size } = await look(folder.at(name));
    return kind === "file" ? { name, type: kind, size_bytes: Number(size) } : { name, type: kind };
  } catch (error) {
    // It went away since, or its name is not text that leads back to it.
    if (isMissing(error)) return undefined;
    throw error;
  }
}
