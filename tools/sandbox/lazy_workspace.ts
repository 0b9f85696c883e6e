import { DEFAULT_FILE_DENY, denyList } from "./deny_list.ts";
import type { Workspace } from "./workspace.ts";

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
   * The folder that the tool works in, and that nothing leads out of.
   *
   * @default {"."}
   */
  readonly workspace?: string | undefined;
  /**
   * Files that are neither read nor searched: at most 1 000 patterns as in a `.gitignore`, each with
   * at most two `**`. They replace the default list.
   *
   * @default {DEFAULT_FILE_DENY}
   */
  readonly fileDeny?: readonly string[] | undefined;
}

/**
 * The workspace of a tool, made with its first use: the `node:` modules under it take longer to load
 * than all the rest of the package. It is always the same one, so that its root stays what it was at
 * first. The options are checked at once.
 *
 * @throws {TypeError} The folder is no path, or a pattern of `fileDeny` would have to be left out.
 */
export function lazyWorkspace(
  { workspace: folder = ".", fileDeny = DEFAULT_FILE_DENY }: WorkspaceOptions,
): () => Promise<Workspace> {
  if (typeof folder !== "string" || folder === "") {
    throw new TypeError("Cannot use the workspace: it is not a path");
  }
  const deny = denyList(fileDeny);
  let workspace: Workspace | undefined;
  return async () => {
    const { Workspace } = await import("./workspace.ts");
    // Nothing is waited for in between: of calls made at once, the first makes it for all.
    return workspace ??= new Workspace(folder, deny);
  };
}
