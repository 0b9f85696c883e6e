import type { BigIntStats } from "node:fs";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { CREATE_FILE, type Folder, isMissing } from "./folder.ts";

/** A new empty file with a unique name. */
export interface TemporaryFile {
  /** Name in the folder. */
  readonly name: string;
  /** Handle for writing. */
  readonly handle: FileHandle;
  /** Status at its creation. */
  readonly stats: BigIntStats;
}

/** Creates a file for content that is not yet complete. */
export async function createTemporary(folder: Folder): Promise<TemporaryFile> {
  const name = `.${crypto.randomUUID()}.unfinished`;
  const handle = await open(folder.at(name), CREATE_FILE, 0o666);
  return { name, handle, stats: await handle.stat({ bigint: true }) };
}

/** Removes a created file, if it still has that name. */
export async function removeTemporary(folder: Folder, { name }: TemporaryFile): Promise<void> {
  try {
    await unlink(folder.at(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Enters a folder, and creates it when it is missing. */
export async function createFolder(folder: Folder, name: string): Promise<Folder> {
  try {
    return await folder.enter(name);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    await mkdir(folder.at(name));
  } catch (error) {
    // Another process created the entry first; if it is a folder, it is entered.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return await folder.enter(name);
}
