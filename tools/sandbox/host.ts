import { stat } from "node:fs/promises";
import { AnchoredFolder } from "./anchored_folder.ts";
import { isPermitted } from "./deno_permissions.ts";
import { type Folder, type Identity, isSame, look } from "./folder.ts";
import { WatchedFolder } from "./watched_folder.ts";

const DENO_PERMISSIONS = ["read", "write", "net", "env", "sys", "run", "ffi"];

/**
 * The root of a workspace, held in the safest way that the host has: by a descriptor where entries
 * can be reached through one (Node and Bun on Linux, Deno under all permissions), else watched.
 */
export async function openRoot(path: string, identity: Identity): Promise<Folder> {
  const folder = mayHaveAnchors() ? await anchor(path, identity) : undefined;
  if (folder !== undefined) return folder;
  return new WatchedFolder(path, identity);
}

/** Asking for a path that Deno guards would make it ask its user, at a terminal. */
function mayHaveAnchors(): boolean {
  return DENO_PERMISSIONS.every((name) => isPermitted({ name }));
}

async function anchor(path: string, identity: Identity): Promise<Folder | undefined> {
  if (!isSame(await look(path), identity)) throw moved(path);
  const folder = await AnchoredFolder.open(path);
  try {
    if (isSame(await stat(folder.at("."), { bigint: true }), identity)) return folder;
  } catch {
    // No such paths here: not Linux, or Deno forbids them.
  }
  await folder.close();
  return undefined;
}

function moved(path: string): Error {
  return Object.assign(new Error(`The root moved: ${path}`), { code: "ENOTDIR" });
}
