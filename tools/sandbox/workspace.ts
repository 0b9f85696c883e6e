import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Ignore } from "ignore";
import { ToolError } from "../tool.ts";
import { type Folder, type Identity, isMissing, look } from "./folder.ts";
import { openRoot } from "./host.ts";
import { ignoreRules } from "./ignore_rules.ts";
import { makeFolder } from "./make_file.ts";
import { type OpenFile, openFile } from "./open_file.ts";

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

/** A folder as a boundary: resolves paths inside it, and opens only what is certainly there. */
export class Workspace {
  readonly #given: string;
  readonly #deny: readonly string[];
  #root: Root | undefined;
  #denied: Ignore | undefined;

  /** A folder, and the patterns of a deny list; nothing is looked at until it is used. */
  constructor(folder: string, deny: readonly string[]) {
    this.#given = folder;
    this.#deny = deny;
  }

  /** The root, absolute and without links. */
  async root(): Promise<string> {
    return (await this.#open()).path;
  }

  async #open(): Promise<Root> {
    if (this.#root !== undefined) return this.#root;
    const path = await realpath(this.#given);
    const identity = await look(path);
    if (!identity.isDirectory()) {
      throw new ToolError("Cannot use the workspace: it is not a folder", { code: "no_workspace" });
    }
    this.#root ??= { path, identity };
    return this.#root;
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
    const roots = isAbsolute(this.#given) ? [root, this.#given] : [root];
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

  /** Whether a path inside is one of the files that hold secrets, or in such a folder. */
  async isDenied(path: string): Promise<boolean> {
    this.#denied ??= await ignoreRules(this.#deny, { isCaseSensitive: false });
    return !/^\.\/?$/.test(path) && this.#denied.ignores(path.normalize());
  }

  /** Refuses the files that hold secrets, by the path that was asked for and by where it leads. */
  async refuseDenied(asked: string, place: Place): Promise<void> {
    const { path: root } = await this.#open();
    for (const path of [this.#lexical(asked, root).join("/") || ".", place.path]) {
      // A pattern for a folder ends in a slash, and so must the folder that it names.
      if (!await this.isDenied(path) && !await this.isDenied(`${path}/`)) continue;
      throw new ToolError(`Cannot open ${quoted(asked)}: files that may hold secrets stay closed`, {
        code: "file_denied",
      });
    }
  }

  /** Enters a folder, part by part, and lets go of it afterwards. */
  async withFolder<Result>(
    parts: readonly string[],
    use: (folder: Folder) => Promise<Result>,
    { create = false }: { readonly create?: boolean } = {},
  ): Promise<Result> {
    const { path, identity } = await this.#open();
    let folder = await openRoot(path, identity);
    try {
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
