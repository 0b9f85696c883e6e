import { explaining } from "../sandbox/faults.ts";
import type { OpenFile } from "../sandbox/open_file.ts";
import { isGranted } from "../sandbox/permission.ts";
import { readText } from "../sandbox/text.ts";
import { inSequence } from "../sandbox/in_sequence.ts";
import { leaf, quoted, type Workspace } from "../sandbox/workspace.ts";
import { type Edit, writeFile } from "../sandbox/write_file.ts";
import { ToolError } from "../tool.ts";

/** Mode of a write. */
export type FileWriteMode = "create" | "overwrite" | "append" | "replace";

/** A write that the application is asked to permit: this call and no other. */
export interface FilePermissionRequest {
  /** The root of the workspace, absolute, all links resolved. */
  readonly root: string;
  /** Path of the file from the root on, with all links resolved. */
  readonly path: string;
  /** Mode of the write. */
  readonly mode: FileWriteMode;
  /** True when an entry exists at that path. */
  readonly exists: boolean;
  /** The text to write; in the mode `replace` the new text. */
  readonly content: string;
  /** In the mode `replace`: the text to replace. */
  readonly oldText?: string | undefined;
  /** Size of `content` in bytes. */
  readonly bytes: number;
  /** Id of the call that the model made. */
  readonly toolCallId: string;
  /** Aborted when the permission is no longer needed. */
  readonly signal: AbortSignal;
}

/** Permits a write by returning `true`; any other value, and an error, refuses it. */
export type FilePermission = (request: FilePermissionRequest) => boolean | Promise<boolean>;

/** Result of `file_write` for the model. */
export interface FileWriteResult {
  /** Path of the file from the workspace on, with all links resolved. */
  readonly path: string;
  /** New size of the file in bytes. */
  readonly size_bytes: number;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** A write with its permission callback. */
export interface WriteCall extends Change, Pick<FilePermissionRequest, "toolCallId" | "signal"> {
  /** The file. */
  readonly path: string;
  /** Decides on the write; absent: it is refused. */
  readonly permission: FilePermission | undefined;
  /** Longest wait for the permission in milliseconds. */
  readonly permissionTimeoutMs: number;
}

/** Writes a file in a workspace after permission. */
export async function write(workspace: Workspace, call: WriteCall): Promise<FileWriteResult> {
  const { path, mode, content, oldText, toolCallId, signal } = call;
  const { permission, permissionTimeoutMs } = call;
  if (permission === undefined) throw refused(path);
  const bytes = sizeOf(content);
  return await explaining({ what: `write ${quoted(path)}`, workspace }, async () => {
    const target = await workspace.locate(path);
    const { parts, name } = leaf(target);
    if (mode === "replace" || mode === "append") await workspace.refuseDenied(path, target);
    await workspace.refuseUnsafe(parts);
    const root = await workspace.root();
    const { path: resolved, exists } = target;
    const change = { mode, content, oldText, bytes };
    const request = { root, path: resolved, exists, ...change, toolCallId, signal };
    const wait = { timeoutMs: permissionTimeoutMs, signal };
    const isYes = await isGranted(permission, Object.freeze(request), wait);
    signal.throwIfAborted();
    if (!isYes) throw refused(path);
    // The approved target, not the path again: links are no longer followed.
    const size_bytes = await inSequence(root, async () => {
      signal.throwIfAborted();
      return await workspace.withFolder(
        parts,
        (folder) => writeFile(folder, name, editOf(change, exists)),
        { toChange: true, create: mode !== "replace" },
      );
    });
    return { path: resolved, size_bytes };
  });
}

function refused(path: string): ToolError {
  return new ToolError(`Cannot write ${quoted(path)}: the permission was not given`, {
    code: "permission_denied",
  });
}

function sizeOf(content: string): number {
  const { byteLength } = new TextEncoder().encode(content);
  if (byteLength <= MAX_BYTES) return byteLength;
  throw new ToolError(`Cannot write ${byteLength} bytes: at most ${MAX_BYTES} are possible`, {
    code: "file_too_large",
  });
}

type Change = Pick<FilePermissionRequest, "mode" | "content" | "oldText">;

/** Returns the edit of a change, for a file that existed or not at the time of approval. */
function editOf({ mode, content, oldText }: Change, existed: boolean): Edit {
  return async (current) => {
    if (mode === "create" && current !== undefined) {
      throw new ToolError("There is a file of that name already; to replace it, use overwrite", {
        code: "file_exists",
      });
    }
    if (mode === "overwrite" && (current !== undefined) !== existed) {
      throw new ToolError("The file was made or removed by something else meanwhile", {
        code: "file_changed",
      });
    }
    if (mode === "create" || mode === "overwrite") return new TextEncoder().encode(content);
    if (current === undefined && mode === "append") return new TextEncoder().encode(content);
    const before = await textBefore(current);
    const after = mode === "append"
      ? before + content
      : replaceOnce(before, oldText ?? "", content);
    sizeOf(after);
    return new TextEncoder().encode(after);
  };
}

async function textBefore(current: OpenFile | undefined): Promise<string> {
  if (current === undefined) {
    throw new ToolError("There is no file of that name", { code: "file_not_found" });
  }
  if (current.stats.size > MAX_BYTES) {
    throw new ToolError(`The file has ${current.stats.size} bytes, more than ${MAX_BYTES}`, {
      code: "file_too_large",
    });
  }
  return await readText(current, MAX_BYTES + 1);
}

function replaceOnce(text: string, old: string, replacement: string): string {
  const at = text.indexOf(old);
  if (at === -1) {
    const hint = text.includes("\r\n") && !old.includes("\r\n")
      ? "; the lines of this file end in \\r\\n"
      : "";
    throw new ToolError(
      `old_text does not occur in the file; copy it exactly from file_read${hint}`,
      { code: "text_not_found" },
    );
  }
  if (text.indexOf(old, at + 1) !== -1) {
    throw new ToolError("old_text occurs more than once; add lines around it", {
      code: "text_not_unique",
    });
  }
  return text.slice(0, at) + replacement + text.slice(at + old.length);
}
