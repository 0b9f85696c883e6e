import { join } from "node:path";
import { explaining } from "../sandbox/faults.ts";
import { isSame, statusOf } from "../sandbox/folder.ts";
import { quoted, type Workspace } from "../sandbox/workspace.ts";
import { ToolError } from "../tool.ts";

/** A folder inside a workspace, without links in its path. */
export interface WorkingDir {
  /** The workspace. */
  readonly root: string;
  /** The folder. */
  readonly path: string;
  /** True when the path still leads to the same folder. */
  readonly isSame: () => Promise<boolean>;
}

/**
 * Finds a folder of a workspace.
 *
 * @throws {ToolError} It is outside, or no folder.
 */
export function findWorkingDir(workspace: Workspace, folder: string): Promise<WorkingDir> {
  const action = `run in ${quoted(folder)}`;
  return explaining({ what: action, workspace }, async () => {
    const root = await workspace.root();
    const path = join(root, (await workspace.locate(folder)).path);
    const entry = await statusOf(path);
    if (!entry.isDirectory()) {
      throw new ToolError(`Cannot ${action}: it is not a folder`, { code: "not_a_folder" });
    }
    return {
      root,
      path,
      isSame: async () => {
        const { path: now } = await workspace.locate(folder);
        return join(root, now) === path && isSame(await statusOf(path), entry);
      },
    };
  });
}
