import { opendir } from "node:fs/promises";
import type { Folder } from "./folder.ts";

const MAX_NAMES = 20_000;

/** The names in a folder, sorted; of more than can be handled some, in the system's order. */
export async function namesIn(
  folder: Folder,
): Promise<{ readonly names: readonly string[]; readonly isComplete: boolean }> {
  const names: string[] = [];
  let isComplete = true;
  for await (const { name } of await opendir(folder.path)) {
    isComplete = names.length < MAX_NAMES;
    if (!isComplete) break;
    names.push(name);
  }
  return { names: names.sort(), isComplete };
}
