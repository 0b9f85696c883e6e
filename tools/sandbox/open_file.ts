import type { BigIntStats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ToolError } from "../tool.ts";
import { type Folder, OPEN_FILE, type Opened, statusOf } from "./folder.ts";

/**
 * Attempts to open a file: an editor that saves replaces the file once; more often indicates an
 * attack.
 */
const ATTEMPTS = 3;

/** An open file that is certainly in the workspace. */
export interface OpenFile extends Opened {
  /** Handle for reading. */
  readonly handle: FileHandle;
  /** Status of the open file. */
  readonly stats: BigIntStats;
}

/**
 * Opens a regular file for reading. It is opened first, and used only when it is the file that the
 * folder holds under that name.
 */
export async function openFile(folder: Folder, name: string): Promise<OpenFile> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // No proof, but it avoids touching pipes and devices.
    refuseSpecial(await statusOf(folder.at(name)));
    const [file] = await openFiles(folder, [name]);
    if (file instanceof Error) throw file;
    if (file !== undefined) return file;
  }
  throw new ToolError(`Cannot open ${JSON.stringify(name)}: it is being replaced; try again`, {
    code: "file_changed",
  });
}

/**
 * Opens several files of a folder at once; the caller closes them. The result holds an error for a
 * file that cannot be opened, and `undefined` for one that is not, or not certainly, a regular file
 * of the folder.
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

/** True for an open file. */
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
