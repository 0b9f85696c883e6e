import { join } from "@std/path";
import { CliFailure } from "./io.ts";

/** Names that backups get in a folder, in the order of their times. */
const NAME = /^svc-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z\.backup$/;

/** Whether a path is that of a folder. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new CliFailure(`Cannot look at "${path}": ${String(error)}`, { cause: error });
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
