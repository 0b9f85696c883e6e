import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Ignore } from "ignore";
import { ToolError } from "../tool.ts";
import { type Folder, type Identity, isMissing, statusOf } from "./folder.ts";
import { openRoot } from "./host.ts";
import { ignoreRules } from "./ignore_rules.ts";
import { createFolder } from "./temporary_file.ts";
import { type OpenFile, openFile } from "./open_file.ts";

/**
 * A folder that several tools work in. Its path is resolved once, at the first use of any tool with
 * the same object. A path alone is resolved by each tool for itself, and a link in it may have
 * changed in between.
 */
export interface WorkspaceFolder {
  /** Path of the folder. */
  readonly path: string;
}

const MAX_PATH_CHARS = 4_096;
const MAX_PARTS = 100;

/** The root of a workspace at its first use. */
interface Root {
  /** Absolute path without links. */
  readonly path: string;
  readonly identity: Identity;
}

/** The target of a path: inside the workspace, with all links resolved. */
export interface Target {
  /** Path from the root on, with forward slashes; the root itself is `.`. */
  readonly path: string;
  /** Names along the path. */
  readonly parts: readonly string[];
  /** True when an entry exists there. */
  readonly exists: boolean;
}

/** The settings of a workspace. */
export interface WorkspaceSettings {
  /** Workspaces with the same object have the same root. */
  readonly folder: WorkspaceFolder;
  /** Path of the folder at creation. */
  readonly path: string;
  /** Patterns of files to deny. */
  readonly deny: readonly string[];
  /** True when the application states that no other program renames its folders. */
  readonly isTrusted: boolean;
}

/** The purpose of entering a folder. */
interface Entering {
  readonly toChange?: boolean;
  readonly create?: boolean;
}

/** Roots by folder object. */
const roots = new WeakMap<WorkspaceFolder, Root>();

/**
 * A folder as a boundary: resolves paths inside it, and opens only entries that are certainly
 * there.
 */
export class Workspace {
  readonly #settings: WorkspaceSettings;
  #path: string;
  #denied: Promise<Ignore> | undefined;

  /** Creates a workspace without accessing the file system. */
  constructor(settings: WorkspaceSettings) {
    this.#settings = settings;
    this.#path = settings.path;
  }

  /** Path of the workspace: as given at first, absolute and without links once that is known. */
  get path(): string {
    return this.#path;
  }

  /** Returns the root, absolute and without links. */
  async root(): Promise<string> {
    return (await this.#open()).path;
  }

  async #open(): Promise<Root> {
    const { folder, path: location } = this.#settings;
    const known = roots.get(folder);
    if (known !== undefined) {
      this.#path = known.path;
      return known;
    }
    const path = await realpath(location);
    this.#path = path;
    const identity = await statusOf(path);
    if (!identity.isDirectory()) {
      throw new ToolError("Cannot use the workspace: it is not a folder", { code: "no_workspace" });
    }
    // Of concurrent tools, the first decides for all.
    const root = roots.get(folder) ?? { path, identity };
    roots.set(folder, root);
    this.#path = root.path;
    return root;
  }

  /**
   * Resolves a path. Links are followed as long as they stay inside.
   *
   * @throws {ToolError} It leads outside, or is no path.
   */
  async locate(path: string): Promise<Target> {
    const root = await this.#open();
    const parts = this.#lexical(path, root.path);
    for (let known = parts.length; known >= 0; known--) {
      const real = await realpath(join(root.path, ...parts.slice(0, known))).catch((error) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (real === undefined) continue;
      const inside = partsBelow(root.path, real);
      if (inside === undefined) throw outside(path);
      const all = [...inside, ...parts.slice(known)];
      return { path: all.join("/") || ".", parts: all, exists: known === parts.length };
    }
    throw new ToolError("Cannot use the workspace: it is gone", { code: "no_workspace" });
  }

  /** Returns the names of a path as written: `..` is removed before any link is followed. */
  #lexical(path: string, root: string): string[] {
    if (path.length > MAX_PATH_CHARS || path.includes("\0") || !path.isWellFormed()) {
      throw new ToolError(`Cannot use the path ${quoted(path)}: it is not a path`, {
        code: "invalid_path",
      });
    }
    const roots = isAbsolute(this.#settings.path) ? [root, this.#settings.path] : [root];
    const parts = roots.map((base) => partsBelow(base, resolve(root, path))).find(Boolean);
    if (parts === undefined) throw outside(path);
    if (
      parts.length > MAX_PARTS || (sep === "\\" && parts.some((part) => /[<>:"|?*]/.test(part)))
    ) {
      throw new ToolError(`Cannot use the path ${quoted(path)}: it is not a path`, {
        code: "invalid_path",
      });
    }
    return parts;
  }

  /**
   * Returns a predicate for paths inside: true for files that hold secrets, and for entries of such
   * folders. The path of a folder itself ends in a slash.
   */
  async denied(): Promise<(path: string) => boolean> {
    this.#denied ??= ignoreRules(this.#settings.deny, { isCaseSensitive: false });
    const rules = await this.#denied;
    return (path) => rules.ignores(path.normalize());
  }

  /** Refuses files that hold secrets, by the requested path and by its target. */
  async refuseDenied(requested: string, target: Target): Promise<void> {
    const { path: root } = await this.#open();
    const isDenied = await this.denied();
    for (const path of [this.#lexical(requested, root).join("/"), target.parts.join("/")]) {
      if (path === "" || (!isDenied(path) && !isDenied(`${path}/`))) continue;
      throw new ToolError(
        `Cannot open ${quoted(requested)}: files that may hold secrets stay closed`,
        { code: "file_denied" },
      );
    }
  }

  /** Refuses a folder in which a change cannot be guaranteed to stay inside. */
  async refuseUnsafe(parts: readonly string[]): Promise<void> {
    const { path, identity } = await this.#open();
    const root = await openRoot(path, identity, this.#settings);
    await root.close();
    refuseUnheld(root, parts);
  }

  /**
   * Enters a folder, part by part, and closes it afterwards. With `toChange` it is one in which
   * files can be created, and with `create` missing folders are created.
   */
  async withFolder<Result>(
    parts: readonly string[],
    use: (folder: Folder) => Promise<Result>,
    { toChange = false, create = false }: Entering = {},
  ): Promise<Result> {
    const { path, identity } = await this.#open();
    let folder = await openRoot(path, identity, this.#settings);
    try {
      if (toChange) refuseUnheld(folder, parts);
      for (const part of parts) {
        const inner = await (create ? createFolder(folder, part) : folder.enter(part));
        const outer = folder;
        folder = inner;
        await outer.close();
      }
      return await use(folder);
    } finally {
      await folder.close();
    }
  }

  /** Opens a file for reading, and closes it afterwards. */
  async withFile<Result>(
    target: Target,
    use: (file: OpenFile) => Promise<Result>,
  ): Promise<Result> {
    const { parts, name } = leaf(target);
    return await this.withFolder(parts, async (folder) => {
      const file = await openFile(folder, name);
      try {
        return await use(file);
      } finally {
        await file.handle.close();
      }
    });
  }
}

/** Splits a target into the folder and the name in it. */
export function leaf(
  { parts }: Target,
): { readonly parts: readonly string[]; readonly name: string } {
  const name = parts.at(-1);
  if (name === undefined) {
    throw new ToolError("Cannot use the workspace itself as a file", { code: "not_a_file" });
  }
  return { parts: parts.slice(0, -1), name };
}

/** Returns a path for a sentence: hostile characters are escaped, long paths are cut. */
export function quoted(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

/** Returns the names from a folder to a path below it; `undefined` when it is not below. */
function partsBelow(root: string, path: string): string[] | undefined {
  const relativePath = relative(root, path);
  if (relativePath === "") return [];
  const parts = relativePath.split(sep);
  return parts[0] === ".." || isAbsolute(relativePath) ? undefined : parts;
}

function outside(path: string): ToolError {
  return new ToolError(
    `Cannot use the path ${quoted(path)}: it leads outside the workspace; ` +
      "give a path relative to the workspace",
    { code: "outside_workspace" },
  );
}

/**
 * Refuses a folder that is not held, except for the root, whose path cannot be changed from inside
 * the workspace.
 */
function refuseUnheld(root: Folder, parts: readonly string[]): void {
  if (root.isHeld || parts.length === 0) return;
  throw new ToolError(
    `Cannot write into the folder ${quoted(parts.join("/"))}: on this host it could be swapped ` +
      "for another in the meantime. Write to the workspace itself, not to a folder in it; or " +
      "whoever runs the program can set the option fileTrust: true, where nothing else renames " +
      "folders of the workspace, or start it with --allow-all, on Linux",
    { code: "workspace_unsafe" },
  );
}
