import { explaining } from "./sandbox/faults.ts";
import type { OpenFile } from "./sandbox/open_file.ts";
import { readText } from "./sandbox/text.ts";
import { isGranted } from "./sandbox/permission.ts";
import { leaf, quoted, Workspace, type WorkspaceOptions } from "./sandbox/workspace.ts";
import { type Edit, writeFile } from "./sandbox/write_file.ts";
import { type Tool, ToolError } from "./tool.ts";
import { tool } from "./typed_tool.ts";

/** Longest write, once it is permitted. */
const WRITE_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** How a file is written. */
export type FileWriteMode = "create" | "overwrite" | "append" | "replace";

/** What the application is asked before a file is written: this very call, and nothing else. */
export interface FilePermissionRequest {
  /** The root of the workspace, absolute, all links resolved. */
  readonly root: string;
  /** The file, from the root on, all links resolved. */
  readonly path: string;
  /** How it is written. */
  readonly mode: FileWriteMode;
  /** Whether there is something at that path. */
  readonly exists: boolean;
  /** The text to write; in the mode `replace` the new text. */
  readonly content: string;
  /** In the mode `replace`: the text that goes. */
  readonly oldText?: string | undefined;
  /** Bytes of `content`. */
  readonly bytes: number;
  /** Id of the call that the model made. */
  readonly toolCallId: string;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** Grants a write by returning `true`; everything else, an error too, refuses it. */
export type FilePermission = (request: FilePermissionRequest) => boolean | Promise<boolean>;

/** What {@linkcode fileWrite} takes. */
export interface FileWriteOptions extends WorkspaceOptions {
  /** Asked about every call. Absent: every call is refused. */
  readonly permission?: FilePermission | undefined;
  /**
   * Longest wait for the permission in milliseconds; silence refuses.
   *
   * @default {300_000}
   */
  readonly permissionTimeoutMs?: number | undefined;
}

/** What `file_write` returns to the model. */
export interface FileWriteResult {
  /** The file, from the workspace on, all links resolved. */
  readonly path: string;
  /** Bytes it has now. */
  readonly size_bytes: number;
}

const DESCRIPTION =
  "Writes a text file of the workspace; folders on the way are made. Modes: `create` makes a new " +
  "file and fails where there is one; `overwrite` replaces all of its content; `append` adds to " +
  "its end; `replace` puts `content` in the place of `old_text`, which must occur exactly once in " +
  "the file, so copy it exactly from file_read with enough lines around it. The user may refuse.";

const PARAMETERS = {
  type: "object",
  properties: {
    path: {
      type: "string",
      minLength: 1,
      description: "The file, relative to the workspace, such as src/main.ts",
    },
    mode: {
      type: "string",
      enum: ["create", "overwrite", "append", "replace"],
      description: "How to write it",
    },
    content: { type: "string", description: "The text to write; for `replace` the new text" },
    old_text: {
      type: "string",
      minLength: 1,
      description: "Only for `replace`, and required there: the exact text to replace",
    },
  },
  required: ["path", "mode", "content"],
  additionalProperties: false,
} as const;

/**
 * The tool `file_write`: makes and changes text files of the workspace, each as a whole or not at
 * all. Every call needs the application's permission.
 *
 * Deno permissions: `--allow-read` and `--allow-write`, of the workspace at least.
 *
 * @example
 * ```ts
 * import { fileWrite } from "@svc/tools";
 *
 * const tool = fileWrite({
 *   workspace: "./project",
 *   permission: ({ path, mode }) => mode === "create" && path.startsWith("notes/"),
 * });
 * ```
 */
export function fileWrite(options: FileWriteOptions = {}): Tool {
  const workspace = new Workspace(options);
  const { permission, permissionTimeoutMs = 300_000 } = options;
  return tool({
    name: "file_write",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    timeoutMs: permissionTimeoutMs + WRITE_MS,
    async execute({ path, mode, content, old_text: oldText }, { toolCallId, signal }) {
      if ((mode === "replace") !== (oldText !== undefined)) {
        throw new ToolError("Give old_text in the mode replace, and only there", {
          code: "invalid_tool_arguments",
        });
      }
      if (permission === undefined) throw refused(path);
      const bytes = sizeOf(content);
      return await explaining(`write ${quoted(path)}`, async (): Promise<FileWriteResult> => {
        const place = await workspace.locate(path);
        const { parts, name } = leaf(place);
        if (mode === "replace" || mode === "append") await workspace.refuseDenied(path, place);
        const root = await workspace.root();
        const { path: resolved, exists } = place;
        const change = { mode, content, oldText, bytes };
        const request = { root, path: resolved, exists, ...change, toolCallId, signal };
        const wait = { timeoutMs: permissionTimeoutMs, signal };
        const isYes = await isGranted(permission, Object.freeze(request), wait);
        signal.throwIfAborted();
        if (!isYes) throw refused(path);
        // The place that was approved, not the path again: links are not followed any more.
        const size_bytes = await workspace.withFolder(
          parts,
          (folder) => writeFile(folder, name, editOf(change)),
          { create: mode !== "replace" },
        );
        return { path: resolved, size_bytes };
      });
    },
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

function editOf({ mode, content, oldText }: Change): Edit {
  return async (current) => {
    if (mode === "create" && current !== undefined) {
      throw new ToolError("There is a file of that name already; to replace it, use overwrite", {
        code: "file_exists",
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
  return await readText(current.handle, MAX_BYTES + 1);
}

function replaceOnce(text: string, old: string, replacement: string): string {
  const at = text.indexOf(old);
  if (at === -1) {
    throw new ToolError("old_text does not occur in the file; copy it exactly from file_read", {
      code: "text_not_found",
    });
  }
  if (text.indexOf(old, at + 1) !== -1) {
    throw new ToolError("old_text occurs more than once; add lines around it", {
      code: "text_not_unique",
    });
  }
  return text.slice(0, at) + replacement + text.slice(at + old.length);
}
