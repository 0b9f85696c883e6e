import type { Ignore } from "ignore";
import { ToolError } from "../tool.ts";
import { affordable, ignoreRules } from "./ignore_rules.ts";
import { type Folder, look } from "./folder.ts";
import { namesIn } from "./names_in.ts";
import { openFile } from "./open_file.ts";
import { readText } from "./text.ts";
import type { Workspace } from "./workspace.ts";

const MAX_DEPTH = 40;
const MAX_RULES_BYTES = 65_536;
const RULE_FILES = [".gitignore", ".ignore"];
/** What is never the user's own text. */
const NEVER = new Set([".git", "node_modules"]);

/** Rules of an ignore file, for everything below the folder it is in. */
interface Rules {
  /** The folder: empty, or with a slash at its end. */
  readonly base: string;
  readonly rules: Ignore;
}

/** How to walk. */
export interface WalkOptions {
  /** The folder to begin with, from the workspace on. */
  readonly parts: readonly string[];
  /** Whether what ignore files name is walked too. */
  readonly includeIgnored: boolean;
  /** Most entries to look at. */
  readonly maxEntries: number;
  /** Ends the walk. */
  readonly signal: AbortSignal;
}

/** A file that the walk came by. */
export interface WalkedFile {
  /** From the workspace on. */
  readonly path: string;
  /** The folder it is in, open until the walk goes on. */
  readonly folder: Folder;
  /** Its name there. */
  readonly name: string;
}

/**
 * Walks the files of a tree in the order of their names. Follows no links, and leaves out what is
 * denied or ignored.
 */
export class Walk {
  readonly #workspace: Workspace;
  readonly #options: WalkOptions;
  #entries = 0;
  #isComplete = true;

  /** A walk that begins when its files are asked for. */
  constructor(workspace: Workspace, options: WalkOptions) {
    this.#workspace = workspace;
    this.#options = options;
  }

  /** Whether nothing was left out because there was too much, or because it could not be read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Hands every file to `visit`, until that returns `false`. */
  async visit(visit: (file: WalkedFile) => Promise<boolean>): Promise<void> {
    const { parts } = this.#options;
    const rules: Rules[] = [];
    for (let depth = 0; depth < parts.length; depth++) {
      const above = parts.slice(0, depth);
      await this.#workspace.withFolder(above, async (folder) => {
        rules.push(...await this.#rulesOf(folder, above));
      });
    }
    await this.#workspace.withFolder(
      parts,
      (folder) => this.#tree({ folder, parts, rules }, visit),
    );
  }

  async #tree(
    { folder, parts, rules: above }: Tree,
    visit: (file: WalkedFile) => Promise<boolean>,
  ): Promise<boolean> {
    const { names, isComplete } = await folder.steady(() => namesIn(folder));
    this.#isComplete &&= isComplete;
    const rules = [...above, ...await this.#rulesOf(folder, parts, names)];
    for (const name of names) {
      this.#options.signal.throwIfAborted();
      if (NEVER.has(name)) continue;
      if (++this.#entries > this.#options.maxEntries) return this.#isComplete = false;
      const path = [...parts, name].join("/");
      const kind = await this.#kindOf(folder, name);
      if (kind === undefined || await this.#isLeftOut(path, kind, rules)) continue;
      const goesOn = kind === "file"
        ? await visit({ path, folder, name })
        : await this.#inner({ folder, parts: [...parts, name], rules }, visit);
      if (!goesOn) return false;
    }
    return true;
  }

  async #inner(tree: Tree, visit: (file: WalkedFile) => Promise<boolean>): Promise<boolean> {
    if (tree.parts.length > MAX_DEPTH) {
      this.#isComplete = false;
      return true;
    }
    const folder = await this.#unlessUnreadable(() => tree.folder.enter(tree.parts.at(-1) ?? "."));
    if (folder === undefined) return true;
    try {
      return await this.#tree({ ...tree, folder }, visit);
    } finally {
      await folder.close();
    }
  }

  async #kindOf(folder: Folder, name: string): Promise<"file" | "folder" | undefined> {
    const stats = await this.#unlessUnreadable(() => look(folder.at(name)));
    if (stats?.isFile()) return "file";
    return stats?.isDirectory() ? "folder" : undefined;
  }

  async #isLeftOut(
    path: string,
    kind: "file" | "folder",
    rules: readonly Rules[],
  ): Promise<boolean> {
    const whole = kind === "folder" ? `${path}/` : path;
    if (await this.#workspace.isDenied(whole)) return true;
    // The innermost file that says anything about it decides.
    for (const { base, rules: ignore } of rules.toReversed()) {
      const { ignored, unignored } = ignore.test(whole.slice(base.length));
      if (ignored || unignored) return ignored;
    }
    return false;
  }

  async #rulesOf(
    folder: Folder,
    parts: readonly string[],
    names: readonly string[] = RULE_FILES,
  ): Promise<Rules[]> {
    if (this.#options.includeIgnored) return [];
    const found: Rules[] = [];
    for (const name of RULE_FILES.filter((name) => names.includes(name))) {
      const text = await this.#unlessUnreadable(() => readRules(folder, name));
      const base = parts.map((part) => `${part}/`).join("");
      if (text === undefined) continue;
      found.push({
        base,
        rules: await ignoreRules(affordable(text.split(/\r?\n/)), { isCaseSensitive: true }),
      });
    }
    return found;
  }

  /** What vanishes, is closed to us or is not text is passed over, and the walk says so. */
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

interface Tree {
  readonly folder: Folder;
  readonly parts: readonly string[];
  readonly rules: readonly Rules[];
}

const UNREADABLE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "ENAMETOOLONG"]);

/** Whether a failure concerns one entry only. */
export function isUnreadable(error: unknown): error is Error {
  if (error instanceof ToolError) return true;
  return error instanceof Error && "code" in error && UNREADABLE.has(String(error.code));
}

async function readRules(folder: Folder, name: string): Promise<string> {
  const { handle } = await openFile(folder, name);
  try {
    return await readText(handle, MAX_RULES_BYTES);
  } finally {
    await handle.close();
  }
}
