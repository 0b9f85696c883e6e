import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { AnchoredFolder } from "./anchored_folder.ts";
import { isUnrestricted } from "./deno_permissions.ts";
import { type Folder, type Identity, isSame, notFolder, statusOf } from "./folder.ts";
import { TrustedFolder } from "./trusted_folder.ts";
import { WatchedFolder } from "./watched_folder.ts";

/**
 * Opens the root of a workspace in the safest way of the host: by a descriptor where entries can be
 * reached through one (Node and Bun on Linux, Deno under all permissions), else trusted by the
 * application, or watched.
 */
export async function openRoot(
  path: string,
  identity: Identity,
  { isTrusted }: { readonly isTrusted: boolean },
): Promise<Folder> {
  if (!isSame(await statusOf(path), identity)) throw notFolder(path);
  // A path that Deno guards could cause a prompt at a terminal.
  const folder = isUnrestricted() ? await anchor(path, identity) : undefined;
  if (folder !== undefined) return folder;
  return isTrusted ? new TrustedFolder(path) : new WatchedFolder(path, identity);
}

async function anchor(path: string, identity: Identity): Promise<Folder | undefined> {
  const folder = await AnchoredFolder.open(path);
  const reached = await statOf(folder.at("."));
  if (reached !== undefined && isSame(reached, identity)) return folder;
  await folder.close();
  if (reached === undefined) return undefined;
  throw notFolder(path);
}

/**
 * Returns the status; `undefined` where the host has no such paths: it is not Linux, or Deno
 * forbids them.
 */
async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch {
    return undefined;
  }
}
