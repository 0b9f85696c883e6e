/**
 * Measures `file_search` over ten thousand files, in every runtime and with every permission:
 *
 * ```sh
 * deno task bench:search
 * ```
 *
 * @module
 */

import { join } from "@std/path";
import { buildLab, HOSTS } from "../sandbox/hosts.ts";

const FOLDERS = 100;
const FILES = 100;
/** Milliseconds of a search, below; the second where folders have to be watched. */
const MARKS = { held: 2_000, watched: 4_000 };
const LINES = "const value = 1;\n".repeat(40);

async function fill(workspace: string): Promise<void> {
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(workspace, `part_${folder % 10}`, `folder_${folder}`);
    await Deno.mkdir(path, { recursive: true });
    for (let file = 0; file < FILES; file++) {
      const text = file === 0 && folder % 10 === 0 ? `${LINES}needle\n` : LINES;
      await Deno.writeTextFile(join(path, `file_${file}.ts`), text);
    }
  }
}

async function main(): Promise<void> {
  const workspace = await Deno.realPath(await Deno.makeTempDir());
  const lab = await buildLab();
  try {
    await fill(workspace);
    for (const host of HOSTS.filter(({ isMissing }) => isMissing !== true)) {
      const { executable, args } = host.command("search_process.ts", { workspace, lab });
      const { stdout } = await new Deno.Command(executable, { args: [...args, workspace] })
        .output();
      const times: number[] = JSON.parse(new TextDecoder().decode(stdout));
      const markMs = host.holdsFolders ? MARKS.held : MARKS.watched;
      const shown = times.map((ms) => ms.toFixed(0)).join(", ");
      const word = Math.max(...times) < markMs ? "met" : "missed";
      console.log(
        `${host.name}: ${shown} ms for ${FOLDERS * FILES} files; under ${markMs}: ${word}`,
      );
    }
  } finally {
    for (const folder of [workspace, lab]) await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
