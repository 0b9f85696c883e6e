import { basename, dirname, join } from "@std/path";
import { fileTrouble } from "../../../system/file_trouble.ts";
import { CliFailure } from "../../failures.ts";

/** Names that backups get in a folder, in the order of their times. */
const NAME = /^svc-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.backup$/;

/** A file before it has its name, see `output_file.ts`. */
const PARTIAL = /^(.+)\.[0-9a-f]{8}\.partial$/;

/** Whether a path is that of a folder. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new CliFailure(`Cannot look at "${path}": ${fileTrouble(error)}`, { cause: error });
  }
}

/** The file that a backup of this time becomes in a folder. */
export function backupIn(folder: string, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z").replaceAll(":", "-");
  return join(folder, `svc-${time}.backup`);
}

/** Removes all but the newest backups of a folder; files with other names stay. */
export async function keepNewest(folder: string, keep: number): Promise<readonly string[]> {
  const names = (await Array.fromAsync(Deno.readDir(folder)))
    .flatMap(({ name, isFile }) => isFile && NAME.test(name) ? [name] : []).sort();
  const old = names.slice(0, Math.max(0, names.length - keep));
  for (const name of old) await Deno.remove(join(folder, name));
  return old;
}

/** Removes what backups to a path have left that were killed; those at work have their files locked. */
export async function removePartials(
  path: string,
  { isFolder }: { readonly isFolder: boolean },
): Promise<readonly string[]> {
  const folder = isFolder ? path : dirname(path);
  const removed: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      const [, whole] = PARTIAL.exec(name) ?? [];
      const isOurs = whole !== undefined &&
        (isFolder ? NAME.test(whole) : whole === basename(path));
      if (!isFile || !isOurs || !await isAbandoned(join(folder, name))) continue;
      await Deno.remove(join(folder, name));
      removed.push(join(folder, name));
    }
  } catch {
    // What cannot be looked at or removed is in nobody's way; the backup says what is in its own.
  }
  return removed;
}

async function isAbandoned(path: string): Promise<boolean> {
  using file = await Deno.open(path, { write: true });
  return await file.tryLock(true);
}
