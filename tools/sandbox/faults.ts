import { ToolError } from "../tool.ts";

/** Message for the model for each failure of the system: a code, and the end of a sentence. */
const FAULTS: Readonly<Record<string, readonly [code: string, reason: string]>> = {
  ENOENT: ["file_not_found", "there is nothing of that name"],
  ENOTDIR: ["not_a_folder", "a part of the path is not a folder"],
  EISDIR: ["not_a_file", "it is a folder"],
  EEXIST: ["file_exists", "there is something of that name already"],
  ELOOP: ["link_loop", "its links lead in a circle, or a part of it is a link"],
  ENAMETOOLONG: ["invalid_path", "a name in the path is too long"],
  EINVAL: ["invalid_path", "the system does not accept such a name"],
  EILSEQ: ["invalid_path", "the system does not accept such a name"],
  ENXIO: ["not_a_file", "it is a pipe, a socket or a device"],
  ENODEV: ["not_a_file", "it is a pipe, a socket or a device"],
  EACCES: ["access_denied", "the operating system does not allow it"],
  EPERM: ["access_denied", "the operating system does not allow it"],
  EROFS: ["access_denied", "the file system is read-only"],
  ENOSPC: ["disk_full", "the disk is full"],
  EDQUOT: ["disk_full", "the disk quota is used up"],
  EFBIG: ["file_too_large", "the file would be too large"],
  EMFILE: ["system_busy", "too many files are open; try again"],
  ENFILE: ["system_busy", "too many files are open; try again"],
  EBUSY: ["system_busy", "something else is using it; try again"],
};

/** An action of a tool, for the sentence with its failure. */
export interface Action {
  /** Beginning of the sentence, as in `read "a.txt"`. */
  readonly what: string;
  /** The workspace of the action. */
  readonly workspace: { readonly path: string };
}

/**
 * Runs a file operation of a tool, and turns failures of the system into errors that a model can
 * act on.
 */
export async function explaining<Result>(
  action: Action,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw explain(error, action);
  }
}

function explain(cause: unknown, { what, workspace }: Action): unknown {
  if (!(cause instanceof Error) || cause.name === "ToolError") return cause;
  const flag = missingFlag(cause);
  if (flag !== undefined) {
    return new ToolError(
      `Cannot ${what}: the program runs without the Deno permission for it; ` +
        `the operator can add ${flag}=${workspace.path}`,
      { code: "permission_missing", cause },
    );
  }
  const [code, reason] = FAULTS["code" in cause ? String(cause.code) : ""] ?? [];
  if (code === undefined) return cause;
  return new ToolError(`Cannot ${what}: ${reason}`, { code, cause });
}

/** Returns the missing flag of Deno, as in `--allow-read`. */
function missingFlag({ name, message }: Error): string | undefined {
  if (name !== "NotCapable" && name !== "PermissionDenied") return undefined;
  return /--allow-(?:read|write)/.exec(message)?.[0];
}
