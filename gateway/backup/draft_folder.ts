/**
 * Folders in which stores are made before they have their names. One that was killed over it leaves
 * its folder, with a part of a store in the clear: a lock in it tells that from one at work.
 *
 * @module
 */

import { join } from "@std/path";
import { BackupError } from "./backup_error.ts";

const NAME = /^\..+\.restore-[0-9a-f]{8}$/;
const LOCK = "lock";

/** A folder at work; it goes with everything in it when it is disposed of. */
export interface DraftFolder extends AsyncDisposable {
  readonly path: string;
}

/** Where the draft of a file comes to be: beside it, so that it can be renamed. */
export function draftName(name: string): string {
  return `.${name}.restore-${crypto.randomUUID().slice(0, 8)}`;
}

/** Makes a folder that nobody else is in, readable by its user only. */
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

/** Folders that nobody works in any more. */
export async function leftoversIn(folder: string): Promise<readonly string[]> {
  const left: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory && NAME.test(name) && await isLeft(path)) left.push(path);
  }
  return left.sort();
}

async function isLeft(path: string): Promise<boolean> {
  try {
    using lock = await Deno.open(join(path, LOCK), { write: true });
    return await lock.tryLock(true);
  } catch {
    // It has gone, is not ours, or is only just made.
    return false;
  }
}
