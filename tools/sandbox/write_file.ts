import type { BigIntStats } from "node:fs";
import { link, rename } from "node:fs/promises";
import { ToolError } from "../tool.ts";
import { type Folder, isMissing, isSame, statusOf } from "./folder.ts";
import { createTemporary, removeTemporary, type TemporaryFile } from "./temporary_file.ts";
import { type OpenFile, openFile } from "./open_file.ts";

/** Computes the new content from the present file, or from `undefined` without one. */
export type Edit = (current: OpenFile | undefined) => Promise<Uint8Array>;

const PERMISSION_BITS = 0o777n;
const WRITE_BITS = 0o222n;

/**
 * Writes a file atomically: the content goes to a new file beside it, which takes its name once it
 * is complete and on the disk. A reader sees the old content or the new, also after a crash.
 */
export async function writeFile(folder: Folder, name: string, edit: Edit): Promise<number> {
  const current = await currentFile(folder, name);
  try {
    if (current !== undefined) refuseProtected(current.stats);
    const content = await edit(current);
    const temporary = await createTemporary(folder);
    try {
      if (current !== undefined) await copyOwnership(current.stats, temporary);
      await temporary.handle.writeFile(content);
      await temporary.handle.sync();
      await (current === undefined
        ? publishNew(folder, temporary, name)
        : replaceExisting(folder, temporary, { name, expected: current.stats }));
      return content.byteLength;
    } finally {
      await temporary.handle.close();
      await removeTemporary(folder, temporary);
    }
  } finally {
    await current?.handle.close();
  }
}

async function currentFile(folder: Folder, name: string): Promise<OpenFile | undefined> {
  try {
    return await openFile(folder, name);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Refuses a file with several names: another name may be outside, which cannot be detected. */
function refuseLinked({ nlink }: BigIntStats): void {
  if (nlink <= 1n) return;
  throw new ToolError(
    `The file has ${nlink} names (hard links), and another one may be outside the workspace`,
    { code: "hard_linked" },
  );
}

/** Refuses a protected file: a rename does not check whether the replaced file is writable. */
function refuseProtected(stats: BigIntStats): void {
  refuseLinked(stats);
  if ((stats.mode & WRITE_BITS) !== 0n) return;
  throw new ToolError("The file is write-protected", { code: "access_denied" });
}

/** Gives the temporary file the owner and the permissions of the old file. */
async function copyOwnership(
  { uid, gid, mode }: BigIntStats,
  temporary: TemporaryFile,
): Promise<void> {
  if (uid !== temporary.stats.uid || gid !== temporary.stats.gid) {
    await temporary.handle.chown(Number(uid), Number(gid));
  }
  await temporary.handle.chmod(Number(mode & PERMISSION_BITS));
}

/** Publishes a new file by a link, which unlike a rename fails when an entry exists. */
async function publishNew(folder: Folder, temporary: TemporaryFile, name: string): Promise<void> {
  await link(folder.at(temporary.name), folder.at(name));
}

/** Replaces a file, which must be the one that was read, unchanged. */
async function replaceExisting(
  folder: Folder,
  temporary: TemporaryFile,
  { name, expected }: { readonly name: string; readonly expected: BigIntStats },
): Promise<void> {
  const now = await statusOf(folder.at(name));
  refuseLinked(now);
  if (!isSame(now, expected) || now.mtimeNs !== expected.mtimeNs || now.size !== expected.size) {
    throw new ToolError("The file was changed by something else meanwhile; read it again", {
      code: "file_changed",
    });
  }
  await rename(folder.at(temporary.name), folder.at(name));
}
