/**
 * The file that a store is in: one name, one process, one user.
 *
 * @module
 */

import { lchown } from "node:fs/promises";
import { basename, dirname, join, resolve } from "@std/path";
import { StoreError } from "../../ports/store_error.ts";

/** Attempts to lock a file before another process is taken to hold it. */
const LOCK_ATTEMPTS = 11;
/** Pause between two attempts, in milliseconds. */
const LOCK_PAUSE_MS = 50;

/** A store's file, kept from other processes. */
export interface LockedFile {
  /** Its real path. */
  readonly path: string;
  /** Lets other processes have it. */
  release(): void;
}

/** A store's file, claimed by this process. */
export interface ClaimedFile extends LockedFile {
  /**
   * True while the name leads to the file that was claimed, and the file was not emptied since. True
   * as well where this process may not look any more, and on a file system that gives one file several
   * numbers.
   */
  isInPlace(): Promise<boolean>;
}

/**
 * Makes the file where there is none, keeps other processes from it and other users out of it. `mark`
 * is a file that only a store in use leaves beside it: where the mark is there, the store must be too.
 *
 * @throws {StoreError} Where another process has it, it is gone, or it cannot be made or made private.
 */
export async function claimFile(name: string, mark?: string): Promise<ClaimedFile> {
  const lock = await lockName(name);
  let file: Deno.FsFile | undefined;
  try {
    await requireUsed(lock.path, mark);
    file = await Deno.open(lock.path, { create: true, read: true, write: true, mode: 0o600 });
    await lockInode(name, file);
    await makePrivate(lock.path);
    return {
      path: lock.path,
      release: releaseBoth(lock, file),
      isInPlace: await watch(lock, file),
    };
  } catch (cause) {
    file?.close();
    lock.release();
    throw cause instanceof StoreError ? cause : unmade(name, cause);
  }
}

/**
 * Keeps other processes from a store's file, which need not be there.
 *
 * @throws {StoreError} Where another process has it, or its lock cannot be made.
 */
export async function lockFile(name: string): Promise<LockedFile> {
  const lock = await lockName(name);
  let file: Deno.FsFile | undefined;
  try {
    file = await Deno.open(lock.path, { read: true, write: true });
    await lockInode(name, file);
    return { path: lock.path, release: releaseBoth(lock, file) };
  } catch (cause) {
    file?.close();
    if (cause instanceof Deno.errors.NotFound) return lock;
    lock.release();
    throw cause instanceof StoreError ? cause : unmade(name, cause);
  }
}

/** The file is closed last: closing it gives back all locks that SQLite has on it. */
function releaseBoth(lock: LockedFile, file: Deno.FsFile): () => void {
  return () => {
    file.close();
    lock.release();
  };
}

/**
 * Locks the file itself: a name's lock does not see another name of the same file, a hard link. On
 * Linux alone such a lock does not meet those of SQLite; elsewhere a file of several names is refused.
 */
async function lockInode(name: string, file: Deno.FsFile): Promise<void> {
  if (Deno.build.os === "linux") {
    if (!await tryLock(file)) throw inUse(name);
    return;
  }
  const { nlink } = await file.stat();
  if ((nlink ?? 1) <= 1) return;
  throw new StoreError(
    `Cannot open the store "${name}": its file has ${nlink} names (hard links); remove the others`,
  );
}

/** Looks whether a name leads to an open file; where it does not from the beginning, nobody looks. */
async function watch({ path }: LockedFile, file: Deno.FsFile): Promise<() => Promise<boolean>> {
  const { dev, ino } = await file.stat();
  let wasFilled = false;
  const isInPlace = async () => {
    try {
      const named = await Deno.stat(path);
      if (named.dev !== dev || named.ino !== ino) return false;
      // A database that is open has one page at least. It may shrink, but not to nothing.
      wasFilled ||= named.size > 0;
      return named.size > 0 || !wasFilled;
    } catch (error) {
      return !(error instanceof Deno.errors.NotFound);
    }
  };
  return await isInPlace() ? isInPlace : () => Promise.resolve(true);
}

/** A store that was in use and has gone must not be taken for one that never was. */
async function requireUsed(path: string, mark: string | undefined): Promise<void> {
  if (mark === undefined || !await isThere(mark)) return;
  if ((await sizeOf(path) ?? 0) === 0) throw gone(path, mark);
}

/** The refusal of a store that holds nothing, although it was in use. */
export function gone(path: string, mark: string): StoreError {
  return new StoreError(
    `Cannot open the store "${path}": it is missing or empty, but "${mark}" says that it was in use; ` +
      `restore a backup (svc restore FILE), or remove "${mark}" to start afresh on purpose`,
  );
}

/** True where there is a file of the name. */
export async function isThere(path: string): Promise<boolean> {
  return await sizeOf(path) !== undefined;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function lockName(name: string): Promise<LockedFile> {
  let lock: Deno.FsFile | undefined;
  try {
    await Deno.mkdir(dirname(name), { recursive: true, mode: 0o700 });
    const path = await realPathOf(resolve(name));
    lock = await Deno.open(`${path}.lock`, { create: true, write: true, mode: 0o600 });
    // Root may be the first to lock it, by a command: the service must be able to, afterwards.
    await giveToOwner(`${path}.lock`);
    if (await tryLock(lock)) return { path, release: lock.close.bind(lock) };
  } catch (cause) {
    lock?.close();
    throw unmade(name, cause);
  }
  // SQLite's own locks would let a second process in, to fail at its commits.
  lock.close();
  throw inUse(name);
}

/**
 * Locks a file, and tries again for half a second. A child process that is being started holds copies
 * of all open descriptors until its program is loaded, and with them locks that were released.
 */
async function tryLock(file: Deno.FsFile): Promise<boolean> {
  for (let attempt = 1; attempt < LOCK_ATTEMPTS; attempt++) {
    if (await file.tryLock(true)) return true;
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
  }
  return await file.tryLock(true);
}

function inUse(name: string): StoreError {
  return new StoreError(
    `Cannot open the store "${name}": another process has it open: stop it, or name another file`,
  );
}

/** Whether a process has a store's file now. Makes nothing. */
export async function isClaimed(name: string): Promise<boolean> {
  try {
    const path = await realPathOf(resolve(name));
    using lock = await Deno.open(`${path}.lock`, { write: true });
    return !await tryLock(lock);
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
  if (Deno.build.os === "windows") return;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      await Deno.chmod(`${path}${suffix}`, 0o600);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
