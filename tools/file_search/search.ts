import { explaining } from "../sandbox/faults.ts";
import type { Folder } from "../sandbox/folder.ts";
import { globMatcher } from "../sandbox/glob.ts";
import { isOpen, type OpenFile, openFiles } from "../sandbox/open_file.ts";
import { readText } from "../sandbox/text.ts";
import { isUnreadable, Walk, type WalkedFiles } from "../sandbox/walk.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";

/** A line that contains the query. */
export interface FoundLine {
  /** Path of the file from the workspace on. */
  readonly path: string;
  /** Line number, from 1. */
  readonly line: number;
  /** The line; for a long one the part around the match. */
  readonly text: string;
}

/** Result of `file_search` for the model: files without a query, lines with one. */
export interface FileSearchResult {
  /** Files whose name matches, for a search without a query. */
  readonly files?: readonly string[];
  /** Lines that contain the query. */
  readonly matches?: readonly FoundLine[];
  /** True when there may be more matches. */
  readonly truncated: boolean;
  /** True when the time limit ended the search; the result has the matches so far. */
  readonly partial?: boolean;
  /** Files too large to be searched, at most twenty; absent when there was none. */
  readonly too_large?: readonly string[];
}

const MAX_ENTRIES = 50_000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_OUTPUT_CHARS = 50_000;
const MAX_LINE_CHARS = 300;
/** Largest number of files named as too large. */
const MAX_NAMED = 20;
/** Characters of a long line that are shown before the match. */
const LEAD_CHARS = 100;

/** Input of a search. */
export interface Search {
  /** The folder to search. */
  readonly path: string;
  /** Text to search for in lines; absent: the search is for files. */
  readonly query?: string | undefined;
  /** Pattern of the files to search; absent: all. */
  readonly glob?: string | undefined;
  /** True when upper and lower case differ in the query. */
  readonly case_sensitive?: boolean | undefined;
  /** True when ignored files are searched, too. */
  readonly include_ignored?: boolean | undefined;
  /** Largest number of files or lines to return. */
  readonly max_results: number;
  /** Time limit in milliseconds; the search then returns the matches so far. */
  readonly timeoutMs: number;
  /** Ends the search: with a timeout as its reason like the time limit, else at once. */
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
  const target = await workspace.locate(input.path);
  await workspace.refuseDenied(input.path, target);
  const walk = new Walk(workspace, {
    parts: target.parts,
    includeIgnored: input.include_ignored ?? false,
    isWanted: await globMatcher(input.glob ?? "*"),
    maxEntries: MAX_ENTRIES,
    timeoutMs,
    signal,
  });
  const matches = new Found(max_results);
  const needle = query === undefined ? undefined : new Needle(query, input.case_sensitive ?? false);
  await walk.visit((walked) =>
    needle === undefined
      ? Promise.resolve(matches.addFiles(walked))
      : needle.searchIn(walked, matches)
  );
  return {
    ...(needle === undefined ? { files: matches.files } : { matches: matches.lines }),
    truncated: !matches.isComplete || !walk.isComplete,
    ...(walk.isOutOfTime ? { partial: true } : {}),
    ...matches.leftOut,
  };
}

/** The matches, up to the limits. */
class Found {
  readonly files: string[] = [];
  readonly lines: FoundLine[] = [];
  /** False when any match or file was left out. */
  isComplete = true;
  readonly #tooLarge: string[] = [];
  #chars = 0;
  #bytes = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds files. Returns false when the limit is reached. */
  addFiles({ files }: WalkedFiles): boolean {
    return files.every(({ path }) => this.#takes(path.length, () => this.files.push(path)));
  }

  /** Adds a line. Returns false when the limit is reached. */
  addLine(line: FoundLine): boolean {
    return this.#takes(line.path.length + line.text.length, () => this.lines.push(line));
  }

  /** Records a file that is not searched although it may match. */
  leaveOut(path: string): void {
    if (this.#tooLarge.length < MAX_NAMED) this.#tooLarge.push(path);
  }

  get leftOut(): Pick<FileSearchResult, "too_large"> {
    return this.#tooLarge.length === 0 ? {} : { too_large: this.#tooLarge };
  }

  /** True when the limit on bytes is reached. */
  get hasReadAll(): boolean {
    return this.#bytes > MAX_TOTAL_BYTES;
  }

  /** Counts bytes. Returns false when they exceed the limit. */
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

/** The text of the query. */
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

  /** Searches files that are read together. Returns false when the search has to end. */
  async searchIn({ folder, files }: WalkedFiles, matches: Found): Promise<boolean> {
    const opened = await this.#open(folder, files, matches);
    const texts = await Promise.all(
      opened.map((file, index) =>
        file === undefined ? undefined : textIn(file, files[index]?.path ?? "", matches)
      ),
    );
    for (const [index, { path }] of files.entries()) {
      const text = texts[index];
      if (text !== undefined && !this.#addLines(text, path, matches)) return false;
    }
    return !matches.hasReadAll;
  }

  async #open(
    folder: Folder,
    files: WalkedFiles["files"],
    matches: Found,
  ): Promise<(OpenFile | undefined)[]> {
    try {
      const opened = await openFiles(folder, files.map(({ name }) => name));
      const fault = opened.find((file) => file instanceof Error && !isUnreadable(file));
      if (fault === undefined) return opened.map((file) => isOpen(file) ? file : undefined);
      await Promise.all(opened.filter(isOpen).map(({ handle }) => handle.close()));
      throw fault;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      matches.isComplete = false;
      return [];
    }
  }

  #addLines(text: string, path: string, matches: Found): boolean {
    if (!this.#fold(text).includes(this.#folded)) return true;
    for (const [index, line] of text.split("\n").entries()) {
      const at = this.#fold(line).indexOf(this.#folded);
      if (at === -1) continue;
      const from = line.length > MAX_LINE_CHARS ? Math.max(0, at - LEAD_CHARS) : 0;
      const shown = line.slice(from, from + MAX_LINE_CHARS).toWellFormed();
      if (!matches.addLine({ path, line: index + 1, text: shown })) return false;
    }
    return true;
  }
}

/** Returns the text of an open file and closes it; `undefined` for a binary or too large file. */
async function textIn(file: OpenFile, path: string, matches: Found): Promise<string | undefined> {
  try {
    if (file.stats.size > MAX_FILE_BYTES) matches.leaveOut(path);
    else if (matches.reads(file.stats.size)) return await readText(file, MAX_FILE_BYTES);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  } finally {
    await file.handle.close();
  }
  return undefined;
}
