import { lazyWorkspace, type WorkspaceOptions } from "./sandbox/lazy_workspace.ts";
import { type Tool, ToolError } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const MAX_CHARS = 50_000;

const DESCRIPTION =
  `Reads a text file of the workspace, whole or by lines. Returns at most ${MAX_CHARS} characters; ` +
  "when `truncated` is true, call it again with `start_line` set to `next_line`. " +
  "The content is exact, without line numbers. Binary files are refused, and so are files that may " +
  "hold secrets.";

/**
 * The tool `file_read`: a text file of the workspace, whole or by lines.
 *
 * Deno permissions: `--allow-read`, of the workspace at least.
 *
 * @example
 * ```ts
 * import { fileRead } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const workspace = await mkdtemp(`${tmpdir()}/project-`);
 * await writeFile(`${workspace}/notes.txt`, "one\ntwo\nthree\n");
 *
 * const { execute } = fileRead({ workspace });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const second = await execute?.({ path: "notes.txt", start_line: 2, end_line: 2 }, context);
 * assertEquals(Object(second).content, "two\n");
 * await rm(workspace, { recursive: true });
 * ```
 */
export function fileRead(options: WorkspaceOptions = {}): Tool {
  const workspace = lazyWorkspace(options);
  return tool({
    name: "file_read",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          description: "The file, relative to the workspace, such as src/main.ts",
        },
        start_line: {
          type: "integer",
          minimum: 1,
          description: "First line to return, from 1 on; left out: the first",
        },
        end_line: {
          type: "integer",
          minimum: 1,
          description: "Last line to return, included; left out: the last",
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    async execute({ path, start_line = 1, end_line = Infinity }, { signal }) {
      if (end_line < start_line) {
        throw new ToolError(`Cannot read lines ${start_line} to ${end_line}: the end comes first`, {
          code: "invalid_range",
        });
      }
      const { readRange } = await import("./file_read/read_range.ts");
      const range = { path, start: start_line, end: end_line, maxChars: MAX_CHARS, signal };
      return await readRange(await workspace(), range);
    },
  });
}
