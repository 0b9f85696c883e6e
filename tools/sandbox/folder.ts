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
  /** Where the system reaches an entry. */
  at(name: string): string;
  /** The folder in it. Never follows a link. */
  enter(name: string): Promise<Folder>;
  /**
   * Looks at entries, and returns only what was certainly seen in this folder. The look must not
   * change anything: it may be repeated.
   */
  steady<Seen>(look: () => Promise<Seen>): Promise<Seen>;
  /** Lets go of it. */
  close(): Promise<void>;
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

/** Whether the file that was opened is the entry of that name in the folder. */
export async function holds(folder: Folder, name: string, opened: Identity): Promise<boolean> {
  try {
    return isSame(await folder.steady(() => look(folder.at(name))), opened);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
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
