import type { BigIntStats } from "node:fs";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { CREATE_FILE, type Folder, isMissing } from "./folder.ts";

/** A file that was made, empty, under a name that nobody else has. */
export interface MadeFile {
  /** Its name in the folder. */
  readonly name: string;
  /** To write it. */
  readonly handle: FileHandle;
  /** What the system said of it when it was made. */
  readonly stats: BigIntStats;
}

/** Makes a file for content that is not yet complete. */
export async function makeFile(folder: Folder): Promise<MadeFile> {
  const name = `.${crypto.randomUUID()}.unfinished`;
  const handle = await open(folder.at(name), CREATE_FILE, 0o666);
  return { name, handle, stats: await handle.stat({ bigint: true }) };
}

/** Removes a file that was made, if it still has that name. */
export async function removeMade(folder: Folder, { name }: MadeFile): Promise<void> {
  try {
    await unlink(folder.at(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Enters a folder that is made where there is none. */
export async function makeFolder(folder: Folder, name: string): Promise<Folder> {
  try {
    return await folder.enter(name);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    await mkdir(folder.at(name));
  } catch (error) {
    // Another was quicker: if it is a folder, it is entered.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return await folder.enter(name);
}
