/** What a tool's file operations stand on: folders that cannot be swapped under its feet. */

import type { BigIntStats } from "node:fs";
import { constants, lstat } from "node:fs/promises";

/**
 * A folder of the workspace that was reached without following a link, and stays the same folder
 * whatever others rename meanwhile.
 */
export interface Folder {
  /** Where the system reaches it, to list it. */
  readonly path: string;
  /**
   * True where its entries, and those of folders entered from it, are certainly reached through
   * it. Otherwise only a look at them can be proved, and that afterwards: nothing may be made there.
   */
  readonly isHeld: boolean;
  /** Where the system reaches an entry. */
  at(name: string): string;
  /** The folder in it. Never follows a link. */
  enter(name: string): Promise<Folder>;
  /**
   * Looks at entries, and returns only what was certainly seen in this folder. The look must not
   * change anything: it may be repeated.
   */
  steady<Seen>(look: () => Promise<Seen>): Promise<Seen>;
  /** Says of each file opened by a path of `at` whether it is certainly an entry of this folder. */
  holds(opened: readonly Opened[]): Promise<readonly boolean[]>;
  /** Lets go of it. */
  close(): Promise<void>;
}

/** A file that was opened, without following a link where the host can do so. */
export interface Opened {
  /** The name that it was opened by. */
  readonly name: string;
  /** The system's facts of the open file. */
  readonly stats: Identity;
}

/** What tells a file from every other file of the machine. */
export interface Identity {
  /** The device it is on. */
  readonly dev: bigint;
  /** Its number there. */
  readonly ino: bigint;
}

/** Whether two are one file. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** What the system says of an entry itself: of a link, not of what it points to. */
export function look(path: string): Promise<BigIntStats> {
  return lstat(path, { bigint: true });
}

/** Says of each file whether its path leads to it at this moment. */
export function areAt(
  opened: readonly Opened[],
  at: (name: string) => string,
): Promise<readonly boolean[]> {
  return Promise.all(opened.map(async ({ name, stats }) => {
    try {
      return isSame(await look(at(name)), stats);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }));
}

/** The error of a path that leads to no folder. */
export function notFolder(path: string): Error {
  return Object.assign(new Error(`Not a folder: ${path}`), { code: "ENOTDIR" });
}

/** Whether a failure says that there is nothing of that name. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Opens for reading; a pipe or a device does not block it, and the last part is never a link. */
export const OPEN_FILE: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Opens a folder itself, never a link to it. */
export const OPEN_FOLDER: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_DIRECTORY ?? 0);

/** Makes a new file, and fails where there is anything already. */
export const CREATE_FILE: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL |
  (constants.O_NOFOLLOW ?? 0);
