import type { BigIntStats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { ToolError } from "../tool.ts";
import { type Folder, holds, look, OPEN_FILE } from "./folder.ts";

/** An editor that saves replaces the file: once is common, more is somebody's game. */
const ATTEMPTS = 3;

/** A file that is open, and certainly in the workspace. */
export interface OpenFile {
  /** To read it. */
  readonly handle: FileHandle;
  /** What the system said of the open file. */
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
    const file = await openOnce(folder, name);
    if (file !== undefined) return file;
  }
  throw new ToolError(`Cannot open ${JSON.stringify(name)}: it is being replaced; try again`, {
    code: "file_changed",
  });
}

async function openOnce(folder: Folder, name: string): Promise<OpenFile | undefined> {
  const handle = await open(folder.at(name), OPEN_FILE);
  let isHeld = false;
  try {
    const stats = await handle.stat({ bigint: true });
    isHeld = stats.isFile() && await holds(folder, name, stats);
    return isHeld ? { handle, stats } : undefined;
  } finally {
    if (!isHeld) await handle.close();
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
