import type { FilePermission } from "./file_write/write.ts";
import { lazyWorkspace, type WorkspaceOptions } from "./sandbox/lazy_workspace.ts";
import { timeLimit } from "./sandbox/limits.ts";
import { type Tool, ToolError } from "./tool.ts";
import { tool } from "./typed_tool.ts";

/** Longest write in milliseconds, once it is permitted. */
const WRITE_MS = 60_000;

/**
 * Options of {@linkcode fileWrite}.
 *
 * @example
 * ```ts
 * import { fileWrite, type FileWriteOptions } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const options: FileWriteOptions = {
 *   workspace: "./project",
 *   permission: ({ exists }) => !exists,
 *   permissionTimeoutMs: 60_000,
 * };
 * assertEquals(fileWrite(options).name, "file_write");
 * ```
 */
export interface FileWriteOptions extends WorkspaceOptions {
  /** Decides on each call. Absent: every call is refused. */
  readonly permission?: FilePermission | undefined;
  /**
   * Longest wait for the permission in milliseconds; no answer refuses.
   *
   * @default {300_000}
   */
  readonly permissionTimeoutMs?: number | undefined;
}

const DESCRIPTION =
  "Writes a text file of the workspace; missing folders are created. Modes: `create` makes a new " +
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
 * The tool `file_write`: creates and changes text files of the workspace, each atomically. Every
 * call needs the application's permission.
 *
 * Deno permissions: `--allow-read` and `--allow-write`, of the workspace at least.
 *
 * @example
 * ```ts
 * import { fileWrite } from "@svc/tools";
 * import { assertEquals, assertRejects } from "@std/assert";
 * import { mkdtemp, readFile, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 *
 * const workspace = await mkdtemp(`${tmpdir()}/project-`);
 * const { execute } = fileWrite({
 *   workspace,
 *   // Nothing else is at work in it: see the README of this package about other workspaces.
 *   fileTrust: true,
 *   permission: ({ path, mode }) => mode === "create" && path.startsWith("notes/"),
 * });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * await execute?.({ path: "notes/a.txt", mode: "create", content: "milk" }, context);
 * assertEquals(await readFile(`${workspace}/notes/a.txt`, "utf8"), "milk");
 *
 * const elsewhere = { path: "main.ts", mode: "create", content: "" };
 * await assertRejects(async () => await execute?.(elsewhere, context));
 * await rm(workspace, { recursive: true });
 * ```
 */
export function fileWrite(options: FileWriteOptions = {}): Tool {
  const workspace = lazyWorkspace(options);
  const settings = {
    permission: options.permission,
    permissionTimeoutMs: timeLimit("permissionTimeoutMs", options.permissionTimeoutMs ?? 300_000),
  };
  return tool({
    name: "file_write",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    timeoutMs: timeLimit("timeoutMs", settings.permissionTimeoutMs + WRITE_MS),
    async execute({ path, mode, content, old_text: oldText }, { toolCallId, signal }) {
      if ((mode === "replace") !== (oldText !== undefined)) {
        throw new ToolError("Give old_text in the mode replace, and only there", {
          code: "invalid_tool_arguments",
        });
      }
      if (![content, oldText ?? ""].every((text) => text.isWellFormed())) {
        throw new ToolError("Cannot write half of a character: the text has a lone surrogate", {
          code: "invalid_tool_arguments",
        });
      }
      const { write } = await import("./file_write/write.ts");
      const change = { path, mode, content, oldText, toolCallId, signal };
      return await write(await workspace(), { ...settings, ...change });
    },
  });
}
