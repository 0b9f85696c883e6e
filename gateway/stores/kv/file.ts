/**
 * The file of a store: one name, one process, one user.
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

/** A store's file, locked against other processes. */
export interface LockedFile {
  /** Real path. */
  readonly path: string;
  /** Unlocks the file for other processes. */
  release(): void;
}

/** A store's file, owned by this process. */
export interface ClaimedFile extends LockedFile {
  /**
   * True while the name leads to the claimed file and the file was not emptied. Also true when this
   * process may no longer check, and on a file system that gives one file several numbers.
   */
  isInPlace(): Promise<boolean>;
}

/**
 * Creates the file if needed, locks it against other processes and makes it private to its user.
 * `mark` is a file that only a store in use leaves beside it: if the mark exists, the store must
 * exist too.
 *
 * @throws {StoreError} When another process has the file, it is gone, or it cannot be created or
 * made private.
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
 * Locks a store's file, which need not exist.
 *
 * @throws {StoreError} When another process has it, or the lock cannot be created.
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

/**
 * Releases a lock and its file. The file is closed last, because closing it drops all locks that
 * SQLite has on it.
 */
function releaseBoth(lock: LockedFile, file: Deno.FsFile): () => void {
  return () => {
    file.close();
    lock.release();
  };
}

/**
 * Locks the file itself: the lock of a name does not cover a hard link, another name of the same
 * file. Only on Linux is this lock independent of SQLite's; elsewhere a file with several names is
 * refused.
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

/**
 * Returns a check that a name leads to an open file; always true if the name did not lead to that
 * file at the start.
 */
async function watch({ path }: LockedFile, file: Deno.FsFile): Promise<() => Promise<boolean>> {
  const { dev, ino } = await file.stat();
  let wasFilled = false;
  const isInPlace = async () => {
    try {
      const named = await Deno.stat(path);
      if (named.dev !== dev || named.ino !== ino) return false;
      // An open database has at least one page. It may shrink, but not to nothing.
      wasFilled ||= named.size > 0;
      return named.size > 0 || !wasFilled;
    } catch (error) {
      return !(error instanceof Deno.errors.NotFound);
    }
  };
  return await isInPlace() ? isInPlace : () => Promise.resolve(true);
}

/** Refuses a missing store that was in use, instead of creating an empty one. */
async function requireUsed(path: string, mark: string | undefined): Promise<void> {
  if (mark === undefined || !await isThere(mark)) return;
  if ((await sizeOf(path) ?? 0) === 0) throw emptyStoreError(path, mark);
}

/** Returns the refusal of an empty store that was in use. */
export function emptyStoreError(path: string, mark: string): StoreError {
  return new StoreError(
    `Cannot open the store "${path}": it is missing or empty, but "${mark}" says that it was in use; ` +
      `restore a backup (svc restore FILE), or remove "${mark}" to start afresh on purpose`,
  );
}

/** True when a file of the name exists. */
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
    // A command of root may create the lock: the service must be able to use it afterwards.
    await giveToOwner(`${path}.lock`);
    if (await tryLock(lock)) return { path, release: lock.close.bind(lock) };
  } catch (cause) {
    lock?.close();
    throw unmade(name, cause);
  }
  // SQLite's own locks would let a second process in, whose commits would then fail.
  lock.close();
  throw inUse(name);
}

/**
 * Locks a file; repeats the attempt for half a second. A child process that is being started holds
 * copies of all open descriptors until its program is loaded, and with them locks that were
 * released.
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

/** True when a process has a store's file. Creates nothing. */
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
 * Gives a file to the owner of its folder, if this process may do so: files that root creates
 * beside a store belong to the service, which is not root. A link itself is given away, not its
 * target: the folder's owner may have made it.
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

/** Resolves a name through all links, also before the file exists: locks use the real path. */
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

/**
 * Restricts the file to its user, because it contains secrets. SQLite gives its other files the
 * same mode.
 */
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
