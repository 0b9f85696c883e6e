import type { Ignore } from "ignore";
import { ToolError } from "../tool.ts";
import { affordable, ignoreRules } from "./ignore_rules.ts";
import { entriesIn, type Entry } from "./entries_in.ts";
import type { Folder } from "./folder.ts";
import { openFile } from "./open_file.ts";
import { readText } from "./text.ts";
import type { Workspace } from "./workspace.ts";

const MAX_DEPTH = 40;
const MAX_RULES_BYTES = 65_536;
const RULE_FILES = [".gitignore", ".ignore"];
/** Folders without text of the user's own. */
const NEVER = new Set([".git", "node_modules"]);
/** Files of a folder that are visited together. */
const BATCH_FILES = 16;

/** Rules of an ignore file, for everything below the folder it is in. */
interface Rules {
  /** Path of the folder: empty, or with a slash at its end. */
  readonly base: string;
  readonly rules: Ignore;
}

/** Options of a walk. */
export interface WalkOptions {
  /** Path of the first folder, from the workspace on. */
  readonly parts: readonly string[];
  /** True when ignored files are walked, too. */
  readonly includeIgnored: boolean;
  /** True for the path of a wanted file, from the workspace on. */
  readonly isWanted: (path: string) => boolean;
  /** Largest number of entries to read. */
  readonly maxEntries: number;
  /** Longest walk in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the walk: with a timeout as its reason like the walk's own time limit, else at once. */
  readonly signal: AbortSignal;
}

/** Files of one folder on the walk. */
export interface WalkedFiles {
  /** The folder, open until the walk continues. */
  readonly folder: Folder;
  /** The files in the order of their names. */
  readonly files: readonly WalkedFile[];
}

/** A file on the walk. */
export interface WalkedFile {
  /** Path from the workspace on. */
  readonly path: string;
  /** Name in its folder. */
  readonly name: string;
}

/** Processes files. Returns false to end the walk. */
type Visit = (files: WalkedFiles) => Promise<boolean>;

/**
 * Walks the files of a tree in the order of their names. Follows no links; leaves out denied and
 * ignored files.
 */
export class Walk {
  readonly #workspace: Workspace;
  readonly #options: WalkOptions;
  readonly #endMs: number;
  #entries = 0;
  #isComplete = true;
  #isOutOfTime = false;

  /** Creates a walk. Its time limit begins now. */
  constructor(workspace: Workspace, options: WalkOptions) {
    this.#workspace = workspace;
    this.#options = options;
    this.#endMs = performance.now() + options.timeoutMs;
  }

  /** True when nothing was left out, neither by a limit nor as unreadable. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** True when the time limit ended it. */
  get isOutOfTime(): boolean {
    return this.#isOutOfTime;
  }

  /** Passes all files to `visit`, several at a time, until it returns `false`. */
  async visit(visit: Visit): Promise<void> {
    const { parts } = this.#options;
    const rules: Rules[] = [];
    for (let depth = 0; depth < parts.length; depth++) {
      const above = parts.slice(0, depth);
      await this.#workspace.withFolder(above, async (folder) => {
        rules.push(...await this.#rulesOf(folder, above));
      });
    }
    const isDenied = await this.#workspace.denied();
    await this.#workspace.withFolder(parts, async (folder) => {
      const listing = await folder.readSteadily(() => entriesIn(folder));
      await this.#tree({ folder, parts, rules, isDenied }, listing, visit);
    });
  }

  async #tree(above: Tree, { entries, isComplete }: Listing, visit: Visit): Promise<boolean> {
    this.#isComplete &&= isComplete;
    const { folder, parts } = above;
    const names = new Set(entries.map(({ name }) => name));
    const tree = {
      ...above,
      rules: [...above.rules, ...await this.#rulesOf(folder, parts, names)],
    };
    const prefix = prefixOf(parts);
    let files: WalkedFile[] = [];
    for (const { name, kind } of entries) {
      if (this.#isOver()) break;
      this.#entries++;
      const path = prefix + name;
      if (NEVER.has(name) || isLeftOut(tree, path, kind)) continue;
      if (kind === "file" && this.#options.isWanted(path)) files.push({ path, name });
      if (kind === "file" && files.length < BATCH_FILES) continue;
      if (!await visitAny(visit, { folder, files })) return false;
      files = [];
      if (kind === "folder" && !await this.#inner(tree, name, visit)) return false;
    }
    return await visitAny(visit, { folder, files }) && !this.#isOver();
  }

  async #inner(tree: Tree, name: string, visit: Visit): Promise<boolean> {
    const parts = [...tree.parts, name];
    if (parts.length > MAX_DEPTH) {
      this.#isComplete = false;
      return true;
    }
    const folder = await this.#unlessUnreadable(() => tree.folder.enter(name));
    if (folder === undefined) return true;
    try {
      const listing = await this.#unlessUnreadable(() =>
        folder.readSteadily(() => entriesIn(folder))
      );
      return listing === undefined || await this.#tree({ ...tree, folder, parts }, listing, visit);
    } finally {
      await folder.close();
    }
  }

  /** True when the limit of entries or time is reached. */
  #isOver(): boolean {
    const { signal, maxEntries } = this.#options;
    if (signal.aborted && !isTimeout(signal.reason)) signal.throwIfAborted();
    this.#isOutOfTime ||= signal.aborted || performance.now() >= this.#endMs;
    const isOver = this.#isOutOfTime || this.#entries > maxEntries;
    this.#isComplete &&= !isOver;
    return isOver;
  }

  async #rulesOf(
    folder: Folder,
    parts: readonly string[],
    names: ReadonlySet<string> = new Set(RULE_FILES),
  ): Promise<Rules[]> {
    if (this.#options.includeIgnored) return [];
    const rules: Rules[] = [];
    for (const name of RULE_FILES.filter((name) => names.has(name))) {
      const text = await this.#unlessUnreadable(() => readRules(folder, name));
      if (text === undefined) continue;
      rules.push({
        base: prefixOf(parts),
        rules: await ignoreRules(affordable(text.split(/\r?\n/)), { isCaseSensitive: true }),
      });
    }
    return rules;
  }

  /**
   * Skips an entry that vanished, is not permitted or is not text, and marks the walk as
   * incomplete.
   */
  async #unlessUnreadable<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#isComplete &&= "code" in error && error.code === "ENOENT";
      return undefined;
    }
  }
}

type Listing = Awaited<ReturnType<typeof entriesIn>>;

interface Tree {
  readonly folder: Folder;
  readonly parts: readonly string[];
  readonly rules: readonly Rules[];
  readonly isDenied: (path: string) => boolean;
}

/** Returns the prefix of the paths of a folder's entries. */
function prefixOf(parts: readonly string[]): string {
  return parts.map((part) => `${part}/`).join("");
}

function isLeftOut({ isDenied, rules }: Tree, path: string, kind: Entry["kind"]): boolean {
  if (kind !== "file" && kind !== "folder") return true;
  const whole = kind === "folder" ? `${path}/` : path;
  if (isDenied(whole)) return true;
  // The innermost matching file decides.
  for (const { base, rules: ignore } of rules.toReversed()) {
    const { ignored, unignored } = ignore.test(whole.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "TimeoutError";
}

async function visitAny(visit: Visit, walked: WalkedFiles): Promise<boolean> {
  return walked.files.length === 0 || await visit(walked);
}

const UNREADABLE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"]);

/** True for a failure that concerns only one entry. */
export function isUnreadable(error: unknown): error is Error {
  if (error instanceof ToolError) return true;
  return error instanceof Error && "code" in error && UNREADABLE.has(String(error.code));
}

async function readRules(folder: Folder, name: string): Promise<string> {
  const file = await openFile(folder, name);
  try {
    return await readText(file, MAX_RULES_BYTES);
  } finally {
    await file.handle.close();
  }
}
