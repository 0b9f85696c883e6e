import { DEFAULT_FILE_DENY, denyList } from "./deny_list.ts";
import type { Workspace, WorkspaceFolder } from "./workspace.ts";

/**
 * Options that all file tools share.
 *
 * @example
 * ```ts
 * import { DEFAULT_FILE_DENY, fileRead, type WorkspaceOptions } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const options: WorkspaceOptions = {
 *   workspace: "./project",
 *   fileDeny: [...DEFAULT_FILE_DENY, "*.sqlite"],
 * };
 * assertEquals(fileRead(options).name, "file_read");
 * ```
 */
export interface WorkspaceOptions {
  /**
   * The folder that the tool works in and cannot leave: a path, or a folder that the tool shares
   * with others.
   *
   * @default {"."}
   */
  readonly workspace?: string | WorkspaceFolder | undefined;
  /**
   * Files that are neither read nor searched: at most 1 000 patterns as in a `.gitignore`, each with
   * at most two `**`. They replace the default list.
   *
   * @default {DEFAULT_FILE_DENY}
   */
  readonly fileDeny?: readonly string[] | undefined;
  /**
   * True when no other program renames folders of the workspace while a tool works in it. It
   * matters where the host cannot hold a folder by a descriptor, that is, on Deno without all
   * permissions and outside Linux: otherwise nothing is written below the workspace's own folder
   * there, and reading waits until the folders above have rested for a second.
   *
   * @default {false}
   */
  readonly fileTrust?: boolean | undefined;
}

/**
 * Returns the workspace of a tool, created at its first use: the `node:` modules under it take
 * longer to load than the rest of the package. Later calls return the same workspace, so that its
 * root stays the same. The options are checked at once.
 *
 * @throws {TypeError} The folder is no path, or a pattern of `fileDeny` would have to be left out.
 */
export function lazyWorkspace(
  { workspace: setting = ".", fileDeny = DEFAULT_FILE_DENY, fileTrust }: WorkspaceOptions,
): () => Promise<Workspace> {
  const folder = typeof setting === "string" ? { path: setting } : setting;
  const path: unknown = folder?.path;
  if (typeof path !== "string" || path === "") {
    throw new TypeError("Cannot use the workspace: it is not a path");
  }
  const settings = { folder, path, deny: denyList(fileDeny), isTrusted: fileTrust === true };
  let workspace: Workspace | undefined;
  return async () => {
    const { Workspace } = await import("./workspace.ts");
    // No await in between: of concurrent calls, the first one creates it for all.
    return workspace ??= new Workspace(settings);
  };
}
