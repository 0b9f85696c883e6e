/**
 * The file that a store is in: one name, one process, one user.
 *
 * @module
 */

import { lchown } from "node:fs/promises";
import { basename, dirname, join, resolve } from "@std/path";
import { StoreError } from "../../ports/store_error.ts";

/** A store's file, claimed by this process. */
export interface ClaimedFile {
  /** Its real path. */
  readonly path: string;
  /** Lets other processes have it. */
  release(): void;
}

/**
 * Makes the file where there is none, keeps other processes from it and other users out of it.
 *
 * @throws {StoreError} Where another process has it, or it cannot be made or made private.
 */
export async function claimFile(name: string): Promise<ClaimedFile> {
  const file = await lockFile(name);
  try {
    await makePrivate(file.path);
    return file;
  } catch (cause) {
    file.release();
    throw unmade(name, cause);
  }
}

/**
 * Keeps other processes from a store's file, which need not be there.
 *
 * @throws {StoreError} Where another process has it, or its lock cannot be made.
 */
export async function lockFile(name: string): Promise<ClaimedFile> {
  let lock: Deno.FsFile | undefined;
  try {
    await Deno.mkdir(dirname(name), { recursive: true, mode: 0o700 });
    const path = await realPathOf(resolve(name));
    lock = await Deno.open(`${path}.lock`, { create: true, write: true, mode: 0o600 });
    // Root may be the first to lock it, by a command: the service must be able to, afterwards.
    await giveToOwner(`${path}.lock`);
    if (await lock.tryLock(true)) return { path, release: lock.close.bind(lock) };
  } catch (cause) {
    lock?.close();
    throw unmade(name, cause);
  }
  // SQLite's own locks would let a second process in, to fail at its commits.
  lock.close();
  throw new StoreError(
    `Cannot open the store "${name}": another process has it open: stop it, or name another file`,
  );
}

/** Whether a process has a store's file now. Makes nothing. */
export async function isClaimed(name: string): Promise<boolean> {
  try {
    const path = await realPathOf(resolve(name));
    using lock = await Deno.open(`${path}.lock`, { write: true });
    return !await lock.tryLock(true);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Has a file belong to whom its folder belongs to, where this process may give it away: what root makes
 * beside a store is for the service, which is not root. A link is given away itself, not what it leads
 * to: the folder's owner may have made it.
 */
export async function giveToOwner(path: string): Promise<void> {
  const [file, folder] = await Promise.all([Deno.lstat(path), Deno.stat(dirname(path))]);
  if (folder.uid === null || folder.gid === null || file.uid === folder.uid) return;
  try {
    await lchown(path, folder.uid, folder.gid);
  } catch (error) {
    const isRefused = error instanceof Deno.errors.PermissionDenied ||
      Object(error).code === "EPERM";
    if (!isRefused) throw error;
  }
}

function unmade(name: string, cause: unknown): StoreError {
  return new StoreError(`Cannot open the store "${name}": its lock or file cannot be made`, {
    cause,
  });
}

/** Where a name leads, by whatever links, also where no file is there yet: locks are by real path. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const real = join(await Deno.realPath(dirname(path)), basename(path));
  try {
    if (!(await Deno.lstat(real)).isSymlink) return real;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return real;
  }
  return await realPathOf(resolve(dirname(real), await Deno.readLink(real)));
}

/** Secrets are in it. SQLite gives the files beside it the mode of the file itself. */
async function makePrivate(path: string): Promise<void> {
  (await Deno.open(path, { create: true, write: true, mode: 0o600 })).close();
  if (Deno.build.os === "windows") return;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      await Deno.chmod(`${path}${suffix}`, 0o600);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
