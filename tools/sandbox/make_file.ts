import type { BigIntStats } from "node:fs";
import { type FileHandle, mkdir, open, rename, rmdir, unlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError } from "../tool.ts";
import { CREATE_FILE, type Folder, holds, isMissing, isSame, look } from "./folder.ts";

const REMOVE_ATTEMPTS = 200;
const REMOVE_PAUSE_MS = 2;

/** A file that was made here, empty, and certainly in the workspace. */
export interface MadeFile {
  /** Its name in the folder. */
  readonly name: string;
  /** To write it. */
  readonly handle: FileHandle;
  /** What the system said of it when it was made. */
  readonly stats: BigIntStats;
}

/**
 * Makes an empty file with a name that nobody else has, for content that is not yet complete.
 * Should a swap have led it elsewhere, it is removed, and the error says so: nothing has been
 * written to it.
 */
export async function makeFile(folder: Folder): Promise<MadeFile> {
  const name = unfinishedName();
  // What is certain now is not certain in the next moment, but it makes the moment short.
  await folder.steady(() => Promise.resolve());
  const handle = await open(folder.at(name), CREATE_FILE, 0o666);
  const stats = await handle.stat({ bigint: true });
  let cause: unknown;
  try {
    if (await holds(folder, name, stats)) return { name, handle, stats };
  } catch (error) {
    cause = error;
  }
  await handle.close();
  throw lost("file", await isGone(() => removeMade(folder, { name, stats })), cause);
}

/** A name that nobody else has: whatever path it is in leads to what was made here, or to nothing. */
function unfinishedName(): string {
  return `.${crypto.randomUUID()}.unfinished`;
}

/**
 * Enters a folder that is made where there is none. It is made under a name that nobody else has, and
 * renamed once it is certainly here: a swap leaves nothing under the name that was asked for.
 */
export async function makeFolder(folder: Folder, name: string): Promise<Folder> {
  try {
    return await folder.enter(name);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const made = folder.at(await makeEmptyFolder(folder));
  try {
    await rename(made, folder.at(name));
  } catch (error) {
    await isGone(() => removeFolder(made));
    if (!isTaken(error)) throw error;
  }
  return await folder.enter(name);
}

/** Makes an empty folder that is certainly in the workspace; its name. */
async function makeEmptyFolder(folder: Folder): Promise<string> {
  const name = unfinishedName();
  await folder.steady(() => Promise.resolve());
  await mkdir(folder.at(name));
  try {
    await folder.steady(() => look(folder.at(name)));
    return name;
  } catch (cause) {
    throw lost("folder", await isGone(() => removeFolder(folder.at(name))), cause);
  }
}

/** Whether a rename failed because another was quicker. */
function isTaken(error: unknown): boolean {
  return hasCode(error, ["EEXIST", "ENOTEMPTY"]);
}

/** Whether a path leads to nothing, or not at the moment. */
function isNowhere(error: unknown): boolean {
  return hasCode(error, ["ENOENT", "ENOTDIR", "ELOOP"]);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** Removes an empty folder; whether it was there. */
async function removeFolder(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (isNowhere(error)) return false;
    throw error;
  }
}

type Made = Pick<MadeFile, "name" | "stats">;

/**
 * Removes a file that was made here, should its name lead to it; whether it did. The name is nobody
 * else's, so that a swap at this moment leads to nothing.
 */
export async function removeMade(folder: Folder, { name, stats }: Made): Promise<boolean> {
  try {
    if (!isSame(await look(folder.at(name)), stats)) return false;
    await unlink(folder.at(name));
    return true;
  } catch (error) {
    if (isNowhere(error)) return false;
    throw error;
  }
}

/** Removes what was made elsewhere: its name leads to it again as soon as the swap is repeated. */
async function isGone(remove: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt++) {
    if (await remove()) return true;
    await delay(REMOVE_PAUSE_MS);
  }
  return false;
}

function lost(what: "file" | "folder", isRemoved: boolean, cause: unknown): ToolError {
  const rest = isRemoved
    ? `the empty ${what} that this made elsewhere has been removed`
    : `an empty ${what} may have been left where the folder was moved to`;
  return new ToolError(`Nothing was written: the folder was swapped meanwhile; ${rest}`, {
    code: "workspace_moved",
    cause,
  });
}
