import { lazyWorkspace, type WorkspaceOptions } from "./sandbox/lazy_workspace.ts";
import { timeLimit } from "./sandbox/limits.ts";
import { type Tool, ToolError } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;
const MAX_QUERY_CHARS = 1_000;
const DEFAULT_MS = 30_000;
/** Time in milliseconds for files that are being read when the time limit ends. */
const LAST_STEP_MS = 10_000;

const DESCRIPTION =
  "Searches the workspace: files by name (`glob`), lines by the text they contain (`query`), or " +
  "both at once. `query` is plain text within one line, not a regular expression. Left out are " +
  ".git, node_modules, what .gitignore and .ignore files name, files that may hold secrets, binary " +
  "files, and files over 4 MiB, which `too_large` names. Where `truncated` is true not everything " +
  "was searched or returned, with `partial` because time ran out: narrow `path` or `glob`.";

/** Options of {@linkcode fileSearch}. */
export interface FileSearchOptions extends WorkspaceOptions {
  /**
   * Time limit of a search in milliseconds; it then returns the matches so far.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * The tool `file_search`: files of the workspace by name, lines by what they contain. Names match
 * globs; contents are compared as plain text, so that no query can be slow.
 *
 * Deno permissions: `--allow-read`, of the workspace at least.
 *
 * @example
 * ```ts
 * import { fileSearch } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const workspace = await mkdtemp(`${tmpdir()}/project-`);
 * await writeFile(`${workspace}/notes.txt`, "milk\nbread\n");
 *
 * const { execute } = fileSearch({ workspace });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const found = await execute?.({ query: "bread" }, context);
 * assertEquals(Object(found).matches, [{ path: "notes.txt", line: 2, text: "bread" }]);
 * await rm(workspace, { recursive: true });
 * ```
 */
export function fileSearch(options: FileSearchOptions = {}): Tool {
  const workspace = lazyWorkspace(options);
  const timeoutMs = timeLimit("timeoutMs", options.timeoutMs ?? DEFAULT_MS);
  return tool({
    name: "file_search",
    description: DESCRIPTION,
    // The runner of the tool has to wait for the partial result.
    timeoutMs: timeLimit("timeoutMs", timeoutMs + LAST_STEP_MS),
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          maxLength: MAX_QUERY_CHARS,
          pattern: "^[^\\n]*$",
          description: "Text to look for in the lines of files",
        },
        glob: {
          type: "string",
          minLength: 1,
          description: "Files to look at, such as *.ts, or src/**/*.{ts,tsx} from the workspace on",
        },
        path: {
          type: "string",
          minLength: 1,
          description: "Folder to search, relative to the workspace; left out: all of it",
        },
        case_sensitive: {
          type: "boolean",
          description: "Whether upper and lower case differ in the query; left out: they do not",
        },
        include_ignored: {
          type: "boolean",
          description: "Whether to search what .gitignore and .ignore files name too",
        },
        max_results: {
          type: "integer",
          minimum: 1,
          maximum: MAX_RESULTS,
          description: `Most files or lines to return; left out: ${DEFAULT_RESULTS}`,
        },
      },
      additionalProperties: false,
    },
    async execute({ path = ".", max_results = DEFAULT_RESULTS, ...input }, { signal }) {
      if (input.query === undefined && input.glob === undefined) {
        throw new ToolError("Cannot search for nothing: give a query, a glob, or both", {
          code: "invalid_tool_arguments",
        });
      }
      const { search } = await import("./file_search/search.ts");
      return await search(await workspace(), { ...input, path, max_results, timeoutMs, signal });
    },
  });
}
