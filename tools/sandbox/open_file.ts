import type { BigIntStats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ToolError } from "../tool.ts";
import { type Folder, look, OPEN_FILE, type Opened } from "./folder.ts";

/** An editor that saves replaces the file: once is common, more is somebody's game. */
const ATTEMPTS = 3;

/** A file that is open, and certainly in the workspace. */
export interface OpenFile extends Opened {
  /** To read it. */
  readonly handle: FileHandle;
  /** State of the open file. */
  readonly stats: BigIntStats;
}

/**
 * Opens a regular file for reading: opened first, and used only when what was opened is what the
 * folder holds under that name.
 */
export async function openFile(folder: Folder, name: string): Promise<OpenFile> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Not to be believed, but it keeps from touching pipes and devices.
    refuseSpecial(await look(folder.at(name)));
    const [file] = await openFiles(folder, [name]);
    if (file instanceof Error) throw file;
    if (file !== undefined) return file;
  }
  throw new ToolError(`Cannot open ${JSON.stringify(name)}: it is being replaced; try again`, {
    code: "file_changed",
  });
}

/**
 * Opens several files of a folder at once, to be closed by the caller. In the place of one that
 * cannot be opened is the error; nothing is in the place of one that is not, or not certainly, a
 * regular file of the folder.
 */
export async function openFiles(
  folder: Folder,
  names: readonly string[],
): Promise<(OpenFile | Error | undefined)[]> {
  const opened = await Promise.all(names.map((name) => openUnproven(folder, name)));
  const files = opened.filter(isOpen);
  const held = new Set<unknown>();
  try {
    const areHeld = files.length === 0 ? [] : await folder.holds(files);
    files.forEach((file, index) => areHeld[index] && held.add(file));
    return opened.map((file) => file instanceof Error || held.has(file) ? file : undefined);
  } finally {
    await Promise.all(files.map((file) => held.has(file) || file.handle.close()));
  }
}

/** Tells an open file from an error. */
export function isOpen(file: OpenFile | Error | undefined): file is OpenFile {
  return file !== undefined && !(file instanceof Error);
}

async function openUnproven(folder: Folder, name: string): Promise<OpenFile | Error | undefined> {
  try {
    const handle = await open(folder.at(name), OPEN_FILE);
    const file = { name, handle, stats: await statsOf(handle) };
    if (file.stats.isFile()) return file;
    await handle.close();
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

async function statsOf(handle: FileHandle): Promise<BigIntStats> {
  try {
    return await handle.stat({ bigint: true });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refuseSpecial(stats: BigIntStats): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory()
    ? "it is a folder"
    : stats.isSymbolicLink()
    ? "it is a link that leads nowhere inside the workspace"
    : "it is a pipe, a socket or a device";
  throw new ToolError(`Cannot open it as a file: ${kind}`, { code: "not_a_file" });
}
