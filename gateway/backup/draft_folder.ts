/**
 * Folders in which stores are built before they have their names. A killed process leaves its
 * folder, with part of a store in the clear: a lock tells that from one in use.
 *
 * @module
 */

import { join } from "@std/path";
import { BackupError } from "./backup_error.ts";

const NAME = /^\..+\.restore-[0-9a-f]{8}$/;
const LOCK = "lock";

/** A folder in use; disposal removes it with its contents. */
export interface DraftFolder extends AsyncDisposable {
  readonly path: string;
}

/** Returns the path of a draft: beside the final file, so that it can be renamed. */
export function draftName(name: string): string {
  return `.${name}.restore-${crypto.randomUUID().slice(0, 8)}`;
}

/** Creates a new folder, readable by its user only. */
export async function makeDraftFolder(path: string): Promise<DraftFolder> {
  await Deno.mkdir(path, { mode: 0o700 });
  const lock = await Deno.open(join(path, LOCK), { createNew: true, write: true, mode: 0o600 });
  const isLocked = await lock.tryLock(true);
  if (!isLocked) {
    lock.close();
    throw new BackupError(`Another process has the folder "${path}"`);
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      lock.close();
      await Deno.remove(path, { recursive: true });
    },
  };
}

/** Returns the abandoned folders. */
export async function leftoversIn(folder: string): Promise<readonly string[]> {
  const leftovers: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory && NAME.test(name) && await isAbandoned(path)) leftovers.push(path);
  }
  return leftovers.sort();
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    using lock = await Deno.open(join(path, LOCK), { write: true });
    return await lock.tryLock(true);
  } catch {
    // It was removed, belongs to another user, or was just created.
    return false;
  }
}
