import { explaining } from "./sandbox/faults.ts";
import { globMatcher } from "./sandbox/glob.ts";
import { openFile } from "./sandbox/open_file.ts";
import { readText } from "./sandbox/text.ts";
import { isUnreadable, Walk, type WalkedFile } from "./sandbox/walk.ts";
import { quoted, Workspace, type WorkspaceOptions } from "./sandbox/workspace.ts";
import { type Tool, ToolError } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;
const MAX_QUERY_CHARS = 1_000;
const MAX_ENTRIES = 50_000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_OUTPUT_CHARS = 50_000;
const MAX_LINE_CHARS = 300;
/** Of a long line, so much is shown before what was found. */
const LEAD_CHARS = 100;

const DESCRIPTION =
  "Searches the workspace: files by name (`glob`), lines by the text they contain (`query`), or " +
  "both at once. `query` is plain text within one line, not a regular expression. Left out are " +
  ".git, node_modules, what .gitignore and .ignore files name, binary files, and files over " +
  "4 MiB. Where `truncated` is true not everything was searched or returned: narrow `path` or `glob`.";

/** A line that contains what was looked for. */
export interface FoundLine {
  /** The file, from the workspace on. */
  readonly path: string;
  /** Its number, from 1 on. */
  readonly line: number;
  /** The line; of a long one the part around what was found. */
  readonly text: string;
}

/** What `file_search` returns to the model: files without a query, lines with one. */
export interface FileSearchResult {
  /** Files whose name matches, where no text was looked for. */
  readonly files?: readonly string[];
  /** Lines with the text. */
  readonly matches?: readonly FoundLine[];
  /** Whether there may be more than was returned. */
  readonly truncated: boolean;
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
 *
 * const tool = fileSearch({ workspace: "./project" });
 * ```
 */
export function fileSearch(options: WorkspaceOptions = {}): Tool {
  const workspace = new Workspace(options);
  return tool({
    name: "file_search",
    description: DESCRIPTION,
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
    async execute({ path = ".", ...input }, { signal }) {
      if (input.query === undefined && input.glob === undefined) {
        throw new ToolError("Cannot search for nothing: give a query, a glob, or both", {
          code: "invalid_tool_arguments",
        });
      }
      return await explaining(
        `search ${quoted(path)}`,
        () => search(workspace, { ...input, path, signal }),
      );
    },
  });
}

interface Search {
  readonly path: string;
  readonly query?: string | undefined;
  readonly glob?: string | undefined;
  readonly case_sensitive?: boolean | undefined;
  readonly include_ignored?: boolean | undefined;
  readonly max_results?: number | undefined;
  readonly signal: AbortSignal;
}

async function search(workspace: Workspace, input: Search): Promise<FileSearchResult> {
  const { query, max_results = DEFAULT_RESULTS, signal } = input;
  const place = await workspace.locate(input.path);
  await workspace.refuseDenied(input.path, place);
  const isWanted = await globMatcher(input.glob ?? "*");
  const walk = new Walk(workspace, {
    parts: place.parts,
    includeIgnored: input.include_ignored ?? false,
    maxEntries: MAX_ENTRIES,
    signal,
  });
  const found = new Found(max_results);
  const needle = query === undefined ? undefined : new Needle(query, input.case_sensitive ?? false);
  await walk.visit(async (file) => {
    if (!isWanted(file.path)) return true;
    return needle === undefined ? found.addFile(file.path) : await needle.searchIn(file, found);
  });
  const truncated = found.isFull || !walk.isComplete;
  return needle === undefined
    ? { files: found.files, truncated }
    : { matches: found.lines, truncated };
}

/** What was found, up to the limits. */
class Found {
  readonly files: string[] = [];
  readonly lines: FoundLine[] = [];
  isFull = false;
  #chars = 0;
  #bytes = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a file, unless that is too much; whether to go on. */
  addFile(path: string): boolean {
    if (this.#takes(this.files.length, path.length)) this.files.push(path);
    return !this.isFull;
  }

  addLine(line: FoundLine): boolean {
    if (this.#takes(this.lines.length, line.path.length + line.text.length)) this.lines.push(line);
    return !this.isFull;
  }

  /** Counts what is read; whether it may be. */
  reads(bytes: bigint): boolean {
    this.#bytes += Number(bytes);
    this.isFull ||= this.#bytes > MAX_TOTAL_BYTES;
    return !this.isFull;
  }

  #takes(count: number, chars: number): boolean {
    this.#chars += chars;
    this.isFull ||= count >= this.#max || this.#chars > MAX_OUTPUT_CHARS;
    return !this.isFull;
  }
}

/** The text that is looked for. */
class Needle {
  readonly #folded: string;
  readonly #isCaseSensitive: boolean;

  constructor(query: string, isCaseSensitive: boolean) {
    this.#isCaseSensitive = isCaseSensitive;
    this.#folded = this.#fold(query);
  }

  #fold(text: string): string {
    return this.#isCaseSensitive ? text : text.toLowerCase();
  }

  /** Whether to go on with the next file. */
  async searchIn({ path, folder, name }: WalkedFile, found: Found): Promise<boolean> {
    try {
      const { handle, stats } = await openFile(folder, name);
      try {
        if (stats.size > MAX_FILE_BYTES) return true;
        if (!found.reads(stats.size)) return false;
        const text = await readText(handle, MAX_FILE_BYTES);
        return this.#addLines(text, path, found);
      } finally {
        await handle.close();
      }
    } catch (error) {
      // Binary, or gone, or closed to us: the search goes on without it.
      if (isUnreadable(error)) return true;
      throw error;
    }
  }

  #addLines(text: string, path: string, found: Found): boolean {
    if (!this.#fold(text).includes(this.#folded)) return true;
    for (const [index, line] of text.split("\n").entries()) {
      const at = this.#fold(line).indexOf(this.#folded);
      if (at === -1) continue;
      const from = line.length > MAX_LINE_CHARS ? Math.max(0, at - LEAD_CHARS) : 0;
      const shown = line.slice(from, from + MAX_LINE_CHARS).toWellFormed();
      if (!found.addLine({ path, line: index + 1, text: shown })) return false;
    }
    return true;
  }
}
