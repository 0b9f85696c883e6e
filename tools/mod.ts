/**
 * Tools that can be handed to a model: the contract, typed tools, and the built-in local tools.
 *
 * @example
 * ```ts
 * import { calculator } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const { name, parameters, execute } = calculator();
 * // What a model is told, and what runs when it calls.
 * assertEquals([name, parameters["type"]], ["calculator", "object"]);
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const answer = await execute?.({ expression: "2^10" }, context);
 * assertEquals(answer, { result: "1024", exact: true });
 * ```
 *
 * @module
 */

export {
  type FilePermission,
  type FilePermissionRequest,
  fileWrite,
  type FileWriteMode,
  type FileWriteOptions,
  type FileWriteResult,
} from "./file_write.ts";
export { fileRead, type FileReadResult } from "./file_read.ts";
export {
  fileSearch,
  type FileSearchOptions,
  type FileSearchResult,
  type FoundLine,
} from "./file_search.ts";
export { listDir, type ListDirResult, type ListedEntry } from "./list_dir.ts";
export { DEFAULT_FILE_DENY } from "./sandbox/deny_list.ts";
export type { WorkspaceFolder, WorkspaceOptions } from "./sandbox/lazy_workspace.ts";
export { calculator } from "./calculator.ts";
export { datetime, type DatetimeOptions } from "./datetime.ts";
export {
  shell,
  type ShellOptions,
  type ShellPermission,
  type ShellPermissionRequest,
  type ShellResult,
} from "./shell.ts";
export {
  type InputOf,
  type JsonSchema,
  type ObjectOf,
  type RequiredOf,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  tool,
  type ToolDefinition,
  type TypeNamed,
} from "./typed_tool.ts";
export { type Tool, type ToolContext, ToolError, type ToolExecute } from "./tool.ts";
