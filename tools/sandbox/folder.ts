/**
 * Folders that cannot be swapped while a tool works in them: the base of all file operations of
 * tools.
 */

import type { BigIntStats } from "node:fs";
import { constants, lstat } from "node:fs/promises";

/**
 * A folder of the workspace that was reached without following a link, and stays the same folder
 * whatever other processes rename meanwhile.
 */
export interface Folder {
  /** Path for listing it. */
  readonly path: string;
  /**
   * True when its entries, and those of folders entered from it, are certainly reached through it.
   * Otherwise only a read can be proved, and only afterwards: nothing may be created there.
   */
  readonly isHeld: boolean;
  /** Returns the path of an entry. */
  at(name: string): string;
  /** Enters a subfolder. Never follows a link. */
  enter(name: string): Promise<Folder>;
  /**
   * Reads entries, and returns only results that certainly come from this folder. The function must
   * not change anything: it may be repeated.
   */
  readSteadily<Result>(read: () => Promise<Result>): Promise<Result>;
  /**
   * Returns for each file opened by a path of `at` whether it is certainly an entry of this folder.
   */
  holds(opened: readonly Opened[]): Promise<readonly boolean[]>;
  /** Closes the folder. */
  close(): Promise<void>;
}

/** A file that was opened, without following a link where the host supports that. */
export interface Opened {
  /** Name by which it was opened. */
  readonly name: string;
  /** Status of the open file. */
  readonly stats: Identity;
}

/** Identity of a file on this machine. */
export interface Identity {
  /** Device number. */
  readonly dev: bigint;
  /** Inode number. */
  readonly ino: bigint;
}

/** True when both identify the same file. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Returns the status of an entry itself: of a link, not of its target. */
export function statusOf(path: string): Promise<BigIntStats> {
  return lstat(path, { bigint: true });
}

/** Returns for each file whether its path leads to it at this moment. */
export function areAt(
  opened: readonly Opened[],
  at: (name: string) => string,
): Promise<readonly boolean[]> {
  return Promise.all(opened.map(async ({ name, stats }) => {
    try {
      return isSame(await statusOf(at(name)), stats);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }));
}

/** Returns the error for a path that leads to no folder. */
export function notFolder(path: string): Error {
  return Object.assign(new Error(`Not a folder: ${path}`), { code: "ENOTDIR" });
}

/** True for an error that reports a missing entry. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/**
 * Flags that open for reading; a pipe or a device does not block it, and the last part is never a
 * link.
 */
export const OPEN_FILE: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Flags that open a folder itself, never a link to it. */
export const OPEN_FOLDER: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_DIRECTORY ?? 0);

/** Flags that create a new file, and fail when any entry exists. */
export const CREATE_FILE: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL |
  (constants.O_NOFOLLOW ?? 0);
