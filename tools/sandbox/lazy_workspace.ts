import { DEFAULT_FILE_DENY, denyList } from "./deny_list.ts";
import type { Workspace, WorkspaceFolder } from "./workspace.ts";

/**
 * What the file tools take in common.
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
   * The folder that the tool works in, and that nothing leads out of: a path, or a folder that the
   * tool shares with others.
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
   * True says that nobody but this program renames folders of the workspace while a tool works in
   * it. It matters where the host cannot hold a folder by a descriptor, that is, on Deno without all
   * permissions and outside Linux: without it nothing is written below the workspace's own folder
   * there, and what is read waits until the folders above have rested for a second.
   *
   * @default {false}
   */
  readonly fileTrust?: boolean | undefined;
}

/**
 * The workspace of a tool, made with its first use: the `node:` modules under it take longer to load
 * than all the rest of the package. It is always the same one, so that its root stays what it was at
 * first. The options are checked at once.
 *
 * @throws {TypeError} The folder is no path, or a pattern of `fileDeny` would have to be left out.
 */
export function lazyWorkspace(
  { workspace: given = ".", fileDeny = DEFAULT_FILE_DENY, fileTrust }: WorkspaceOptions,
): () => Promise<Workspace> {
  const folder = typeof given === "string" ? { path: given } : given;
  const path: unknown = folder?.path;
  if (typeof path !== "string" || path === "") {
    throw new TypeError("Cannot use the workspace: it is not a path");
  }
  const settings = { folder, path, deny: denyList(fileDeny), isTrusted: fileTrust === true };
  let workspace: Workspace | undefined;
  return async () => {
    const { Workspace } = await import("./workspace.ts");
    // Nothing is waited for in between: of calls made at once, the first makes it for all.
    return workspace ??= new Workspace(settings);
  };
}
