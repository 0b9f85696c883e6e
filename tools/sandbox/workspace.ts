import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Ignore } from "ignore";
import { ToolError } from "../tool.ts";
import { type Folder, type Identity, isMissing, look } from "./folder.ts";
import { openRoot } from "./host.ts";
import { ignoreRules } from "./ignore_rules.ts";
import { makeFolder } from "./make_file.ts";
import { type OpenFile, openFile } from "./open_file.ts";

/**
 * A folder that several tools work in. Its path is resolved once, with the first use of any tool
 * that was given the same object; a path alone is resolved by each tool for itself, and a link in it
 * may have been changed in between.
 */
export interface WorkspaceFolder {
  /** Its path. */
  readonly path: string;
}

const MAX_PATH_CHARS = 4_096;
const MAX_PARTS = 100;

/** The root of a workspace, as it was found first. */
interface Root {
  /** Absolute, without links. */
  readonly path: string;
  readonly identity: Identity;
}

/** Where a path leads: inside the workspace, all links resolved. */
export interface Place {
  /** From the root on, with forward slashes; the root itself is `.`. */
  readonly path: string;
  /** The names on the way. */
  readonly parts: readonly string[];
  /** Whether there is something. */
  readonly exists: boolean;
}

/** The settings of a workspace. */
export interface WorkspaceSettings {
  /** Workspaces of the same object have the same root. */
  readonly folder: WorkspaceFolder;
  /** Its path, as it was when it was given. */
  readonly path: string;
  /** Patterns of files to deny. */
  readonly deny: readonly string[];
  /** True where the application says that nobody else renames its folders. */
  readonly isTrusted: boolean;
}

/** The purpose of entering a folder. */
interface Entering {
  readonly toChange?: boolean;
  readonly create?: boolean;
}

/** Roots as they were found first. */
const roots = new WeakMap<WorkspaceFolder, Root>();

/** A folder as a boundary: resolves paths inside it, and opens only what is certainly there. */
export class Workspace {
  readonly #settings: WorkspaceSettings;
  #path: string;
  #denied: Promise<Ignore> | undefined;

  /** Nothing is looked at until it is used. */
  constructor(settings: WorkspaceSettings) {
    this.#settings = settings;
    this.#path = settings.path;
  }

  /** Its path: as it was given at first, absolute and without links as soon as that is known. */
  get path(): string {
    return this.#path;
  }

  /** The root, absolute and without links. */
  async root(): Promise<string> {
    return (await this.#open()).path;
  }

  async #open(): Promise<Root> {
    const { folder, path: given } = this.#settings;
    const known = roots.get(folder);
    if (known !== undefined) {
      this.#path = known.path;
      return known;
    }
    const path = await realpath(given);
    this.#path = path;
    const identity = await look(path);
    if (!identity.isDirectory()) {
      throw new ToolError("Cannot use the workspace: it is not a folder", { code: "no_workspace" });
    }
    // Of tools that look at once, the first decides for all.
    const root = roots.get(folder) ?? { path, identity };
    roots.set(folder, root);
    this.#path = root.path;
    return root;
  }

  /**
   * Where a path leads. Links are followed as long as they stay inside.
   *
   * @throws {ToolError} It leads outside, or is no path.
   */
  async locate(path: string): Promise<Place> {
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

  /** The names on the way as they are written: `..` is taken away before any link is followed. */
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
   * Tells of a path inside whether it is one of the files that hold secrets, or in such a folder; a
   * folder's own path ends in a slash.
   */
  async denied(): Promise<(path: string) => boolean> {
    this.#denied ??= ignoreRules(this.#settings.deny, { isCaseSensitive: false });
    const rules = await this.#denied;
    return (path) => rules.ignores(path.normalize());
  }

  /** Refuses the files that hold secrets, by the path that was asked for and by where it leads. */
  async refuseDenied(asked: string, place: Place): Promise<void> {
    const { path: root } = await this.#open();
    const isDenied = await this.denied();
    for (const path of [this.#lexical(asked, root).join("/"), place.parts.join("/")]) {
      if (path === "" || (!isDenied(path) && !isDenied(`${path}/`))) continue;
      throw new ToolError(`Cannot open ${quoted(asked)}: files that may hold secrets stay closed`, {
        code: "file_denied",
      });
    }
  }

  /** Refuses a folder where it cannot be certain that a change is made inside. */
  async refuseUnsafe(parts: readonly string[]): Promise<void> {
    const { path, identity } = await this.#open();
    const root = await openRoot(path, identity, this.#settings);
    await root.close();
    refuseUnheld(root, parts);
  }

  /**
   * Enters a folder, part by part, and lets go of it afterwards. With `toChange` it is one in which
   * something can be made, and with `create` folders that are missing on the way are made.
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
        const inner = await (create ? makeFolder(folder, part) : folder.enter(part));
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
    place: Place,
    use: (file: OpenFile) => Promise<Result>,
  ): Promise<Result> {
    const { parts, name } = leaf(place);
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

/** A place taken apart: the folder, and the name in it. */
export function leaf(
  { parts }: Place,
): { readonly parts: readonly string[]; readonly name: string } {
  const name = parts.at(-1);
  if (name === undefined) {
    throw new ToolError("Cannot use the workspace itself as a file", { code: "not_a_file" });
  }
  return { parts: parts.slice(0, -1), name };
}

/** A path as it may stand in a sentence: hostile names are escaped, long ones are cut. */
export function quoted(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

/** The names from one folder to a path below it; nothing where it is not below. */
function partsBelow(root: string, path: string): string[] | undefined {
  const way = relative(root, path);
  if (way === "") return [];
  const parts = way.split(sep);
  return parts[0] === ".." || isAbsolute(way) ? undefined : parts;
}

function outside(path: string): ToolError {
  return new ToolError(
    `Cannot use the path ${quoted(path)}: it leads outside the workspace; ` +
      "give a path relative to the workspace",
    { code: "outside_workspace" },
  );
}

/** The path of the root itself is in nobody's hands who has only the workspace. */
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
