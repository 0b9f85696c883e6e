import { lazyWorkspace, type WorkspaceOptions } from "./sandbox/lazy_workspace.ts";
import type { Tool } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const MAX_ENTRIES = 500;

const DESCRIPTION = "Lists a folder of the workspace: names, kinds and sizes of files, sorted by " +
  `name, at most ${MAX_ENTRIES}. It does not go into folders inside; to look for something in a ` +
  "whole tree, use file_search.";

/**
 * The tool `list_dir`: the entries of a folder of the workspace.
 *
 * Deno permissions: `--allow-read`, of the workspace at least.
 *
 * @example
 * ```ts
 * import { listDir } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const workspace = await mkdtemp(`${tmpdir()}/project-`);
 * await writeFile(`${workspace}/notes.txt`, "milk");
 *
 * const { execute } = listDir({ workspace });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const { entries } = Object(await execute?.({}, context));
 * assertEquals(entries, [{ name: "notes.txt", type: "file", size_bytes: 4 }]);
 * await rm(workspace, { recursive: true });
 * ```
 */
export function listDir(options: Pick<WorkspaceOptions, "workspace"> = {}): Tool {
  const workspace = lazyWorkspace(options);
  return tool({
    name: "list_dir",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          description: "The folder, relative to the workspace; left out: the workspace itself",
        },
      },
      additionalProperties: false,
    },
    async execute({ path = "." }) {
      const { listFolder } = await import("./list_dir/list_folder.ts");
      return await listFolder(await workspace(), { path, maxEntries: MAX_ENTRIES });
    },
  });
}
