import type { BigIntStats } from "node:fs";
import { explaining } from "./sandbox/faults.ts";
import { type Folder, isMissing, look } from "./sandbox/folder.ts";
import { namesIn } from "./sandbox/names_in.ts";
import { quoted, Workspace, type WorkspaceOptions } from "./sandbox/workspace.ts";
import type { Tool } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const MAX_ENTRIES = 500;

const DESCRIPTION = "Lists a folder of the workspace: names, kinds and sizes of files, sorted by " +
  `name, at most ${MAX_ENTRIES}. It does not go into folders inside; to look for something in a ` +
  "whole tree, use file_search.";

/** An entry of a folder. */
export interface ListedEntry {
  /** Its name. */
  readonly name: string;
  /** What it is; `other` are pipes, sockets and devices. */
  readonly type: "file" | "folder" | "link" | "other";
  /** Bytes of a file. */
  readonly size_bytes?: number;
}

/** What `list_dir` returns to the model. */
export interface ListDirResult {
  /** Where the folder is, from the workspace on, all links resolved. */
  readonly path: string;
  /** What is in it. */
  readonly entries: readonly ListedEntry[];
  /** Whether there is more than was returned. */
  readonly truncated: boolean;
}

/**
 * The tool `list_dir`: what is in a folder of the workspace.
 *
 * Deno permissions: `--allow-read`, of the workspace at least.
 *
 * @example
 * ```ts
 * import { listDir } from "@svc/tools";
 *
 * const tool = listDir({ workspace: "./project" });
 * ```
 */
export function listDir(options: Pick<WorkspaceOptions, "workspace"> = {}): Tool {
  const workspace = new Workspace(options);
  return tool({
    name: "list_dir",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          description: "The folder, relative to the workspace; left out: the workspace itself",
        },
      },
      additionalProperties: false,
    },
    async execute({ path = "." }) {
      return await explaining(`list ${quoted(path)}`, async (): Promise<ListDirResult> => {
        const place = await workspace.locate(path);
        const listed = await workspace.withFolder(
          place.parts,
          (folder) => folder.steady(() => entriesOf(folder)),
        );
        return { path: place.path, ...listed };
      });
    },
  });
}

async function entriesOf(folder: Folder): Promise<Omit<ListDirResult, "path">> {
  const { names, isComplete } = await namesIn(folder);
  const entries: ListedEntry[] = [];
  for (const name of names.slice(0, MAX_ENTRIES)) {
    const entry = await entryOf(folder, name);
    if (entry !== undefined) entries.push(entry);
  }
  return { entries, truncated: !isComplete || names.length > MAX_ENTRIES };
}

async function entryOf(folder: Folder, name: string): Promise<ListedEntry | undefined> {
  try {
    const stats = await look(folder.at(name));
    const type = typeOf(stats);
    return type === "file" ? { name, type, size_bytes: Number(stats.size) } : { name, type };
  } catch (error) {
    // It went away since, or its name is not text that leads back to it.
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function typeOf(stats: BigIntStats): ListedEntry["type"] {
  if (stats.isSymbolicLink()) return "link";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "other";
}
