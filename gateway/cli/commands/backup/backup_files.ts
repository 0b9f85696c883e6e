import { basename, dirname, join } from "@std/path";
import { fileErrorText } from "../../../system/file_error_text.ts";
import { CliFailure } from "../../failures.ts";

/** Names of backups in a folder; they sort by time. */
const NAME = /^svc-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.backup$/;

/** Name of an incomplete file, see `output_file.ts`. */
const PARTIAL = /^(.+)\.[0-9a-f]{8}\.partial$/;

/** True for the path of a folder. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new CliFailure(`Cannot inspect "${path}": ${fileErrorText(error)}`, { cause: error });
  }
}

/** Returns the path of a backup of this time in a folder. */
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

/** Removes incomplete files of killed backups; files in use are locked. */
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
    // Leftovers that cannot be removed do no harm; the backup reports its own obstacles.
  }
  return removed;
}

async function isAbandoned(path: string): Promise<boolean> {
  using file = await Deno.open(path, { write: true });
  return await file.tryLock(true);
}
