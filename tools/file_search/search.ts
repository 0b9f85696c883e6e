import { explaining } from "../sandbox/faults.ts";
import type { Folder } from "../sandbox/folder.ts";
import { globMatcher } from "../sandbox/glob.ts";
import { isOpen, type OpenFile, openFiles } from "../sandbox/open_file.ts";
import { readText } from "../sandbox/text.ts";
import { isUnreadable, Walk, type WalkedFiles } from "../sandbox/walk.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";

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
  /** Set where time ran out: this is what was found until then. */
  readonly partial?: boolean;
  /** Files that were too large to be searched, the first twenty; absent where there was none. */
  readonly too_large?: readonly string[];
}

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
  /** The longest search in milliseconds; it then returns what there is. */
  readonly timeoutMs: number;
  /** Ends the search: at once, or as the limit of time does if its reason is a timeout. */
  readonly signal: AbortSignal;
}

/** Searches a folder in a workspace. */
export async function search(workspace: Workspace, input: Search): Promise<FileSearchResult> {
  return await explaining(
    { what: `search ${quoted(input.path)}`, workspace },
    () => find(workspace, input),
  );
}

async function find(workspace: Workspace, input: Search): Promise<FileSearchResult> {
  const { query, max_results, timeoutMs, signal } = input;
  const place = await workspace.locate(input.path);
  await workspace.refuseDenied(input.path, place);
  const walk = new Walk(workspace, {
    parts: place.parts,
    includeIgnored: input.include_ignored ?? false,
    isWanted: await globMatcher(input.glob ?? "*"),
    maxEntries: MAX_ENTRIES,
    timeoutMs,
    signal,
  });
  const found = new Found(max_results);
  const needle = query === undefined ? undefined : new Needle(query, input.case_sensitive ?? false);
  await walk.visit((walked) =>
    needle === undefined ? Promise.resolve(found.addFiles(walked)) : needle.searchIn(walked, found)
  );
  return {
    ...(needle === undefined ? { files: found.files } : { matches: found.lines }),
    truncated: !found.isComplete || !walk.isComplete,
    ...(walk.isOutOfTime ? { partial: true } : {}),
    ...found.leftOut,
  };
}

/** What was found, up to the limits. */
class Found {
  readonly files: string[] = [];
  readonly lines: FoundLine[] = [];
  /** False where something was left out. */
  isComplete = true;
  readonly #tooLarge: string[] = [];
  #chars = 0;
  #bytes = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds files, unless that is too much; whether to go on. */
  addFiles({ files }: WalkedFiles): boolean {
    return files.every(({ path }) => this.#takes(path.length, () => this.files.push(path)));
  }

  /** Adds a line, unless that is too much; whether to go on. */
  addLine(line: FoundLine): boolean {
    return this.#takes(line.path.length + line.text.length, () => this.lines.push(line));
  }

  /** Names a file that is not looked at: it may hold what is looked for. */
  leaveOut(path: string): void {
    if (this.#tooLarge.length < MAX_NAMED) this.#tooLarge.push(path);
  }

  get leftOut(): Pick<FileSearchResult, "too_large"> {
    return this.#tooLarge.length === 0 ? {} : { too_large: this.#tooLarge };
  }

  /** True where no more may be read. */
  get hasReadAll(): boolean {
    return this.#bytes > MAX_TOTAL_BYTES;
  }

  /** Counts what is read; whether it may be. */
  reads(bytes: bigint): boolean {
    this.#bytes += Number(bytes);
    this.isComplete &&= !this.hasReadAll;
    return !this.hasReadAll;
  }

  #takes(chars: number, add: () => void): boolean {
    this.#chars += chars;
    const takes = this.files.length + this.lines.length < this.#max &&
      this.#chars <= MAX_OUTPUT_CHARS;
    if (takes) add();
    this.isComplete &&= takes;
    return takes;
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

  /** Searches files that are read at once; whether to go on with the next. */
  async searchIn({ folder, files }: WalkedFiles, found: Found): Promise<boolean> {
    const opened = await this.#open(folder, files, found);
    const texts = await Promise.all(
      opened.map((file, index) =>
        file === undefined ? undefined : textIn(file, files[index]?.path ?? "", found)
      ),
    );
    for (const [index, { path }] of files.entries()) {
      const text = texts[index];
      if (text !== undefined && !this.#addLines(text, path, found)) return false;
    }
    return !found.hasReadAll;
  }

  async #open(
    folder: Folder,
    files: WalkedFiles["files"],
    found: Found,
  ): Promise<(OpenFile | undefined)[]> {
    try {
      const opened = await openFiles(folder, files.map(({ name }) => name));
      const fault = opened.find((file) => file instanceof Error && !isUnreadable(file));
      if (fault === undefined) {
        return opened.map((file) => isOpen(file) ? file : undefined);
      }
      await Promise.all(opened.filter(isOpen).map(({ handle }) => handle.close()));
      throw fault;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      found.isComplete = false;
      return [];
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

/** The text of an open file, which it closes; nothing where it is binary or too large. */
async function textIn(file: OpenFile, path: string, found: Found): Promise<string | undefined> {
  try {
    if (file.stats.size > MAX_FILE_BYTES) found.leaveOut(path);
    else if (found.reads(file.stats.size)) return await readText(file, MAX_FILE_BYTES);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  } finally {
    await file.handle.close();
  }
  return undefined;
}
