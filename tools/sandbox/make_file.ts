import { randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
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
  const name = `.${randomUUID()}.unfinished`;
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
  throw lost(await removeEmpty(folder, { name, stats }), cause);
}

/** Enters a folder that is made where there is none. */
export async function makeFolder(folder: Folder, name: string): Promise<Folder> {
  try {
    return await folder.enter(name);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await folder.steady(() => Promise.resolve());
  await mkdir(folder.at(name)).catch((error) => {
    if (!("code" in error) || error.code !== "EEXIST") throw error;
  });
  return await folder.enter(name);
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
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Its name leads to it again as soon as the swap is repeated. */
async function removeEmpty(folder: Folder, made: Made): Promise<boolean> {
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt++) {
    if (await removeMade(folder, made)) return true;
    await delay(REMOVE_PAUSE_MS);
  }
  return false;
}

function lost(isRemoved: boolean, cause: unknown): ToolError {
  const rest = isRemoved
    ? "the empty file that this made elsewhere has been removed"
    : "an empty file may have been left where the folder was moved to";
  return new ToolError(`Nothing was written: the folder was swapped meanwhile; ${rest}`, {
    code: "workspace_moved",
    cause,
  });
}
