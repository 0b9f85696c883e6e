import type { FileSearchResult, FoundLine } from "../file_search.ts";
import { explaining } from "../sandbox/faults.ts";
import { globMatcher } from "../sandbox/glob.ts";
import { openFile } from "../sandbox/open_file.ts";
import { readText } from "../sandbox/text.ts";
import { isUnreadable, Walk, type WalkedFile } from "../sandbox/walk.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";

const MAX_ENTRIES = 50_000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_OUTPUT_CHARS = 50_000;
const MAX_LINE_CHARS = 300;
/** So many files that were too large are named. */
const MAX_NAMED = 20;
/** Of a long line, so much is shown before what was found. */
const LEAD_CHARS = 100;

/** What is searched, and for what. */
export interface Search {
  /** The folder to search. */
  readonly path: string;
  /** Text to look for in lines; absent: files are looked for. */
  readonly query?: string | undefined;
  /** Files to look at; absent: all. */
  readonly glob?: string | undefined;
  /** Whether upper and lower case differ in the query. */
  readonly case_sensitive?: boolean | undefined;
  /** Whether what ignore files name is searched too. */
  readonly include_ignored?: boolean | undefined;
  /** Most files or lines to return. */
  readonly max_results: number;
  /** Ends the search. */
  readonly signal: AbortSignal;
}

/** Searches a folder in a workspace. */
export async function search(workspace: Workspace, input: Search): Promise<FileSearchResult> {
  return await explaining(`search ${quoted(input.path)}`, () => find(workspace, input));
}

async function find(workspace: Workspace, input: Search): Promise<FileSearchResult> {
  const { query, max_results, signal } = input;
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
    : { matches: found.lines, truncated, ...found.leftOut };
}

/** What was found, up to the limits. */
class Found {
  readonly files: string[] = [];
  readonly lines: FoundLine[] = [];
  isFull = false;
  readonly #tooLarge: string[] = [];
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

  /** Names a file that is not looked at: it may hold what is looked for. */
  leaveOut(path: string): void {
    if (this.#tooLarge.length < MAX_NAMED) this.#tooLarge.push(path);
  }

  get leftOut(): Pick<FileSearchResult, "too_large"> {
    return this.#tooLarge.length === 0 ? {} : { too_large: this.#tooLarge };
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
        if (stats.size > MAX_FILE_BYTES) {
          found.leaveOut(path);
          return true;
        }
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
