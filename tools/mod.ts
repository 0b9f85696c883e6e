/**
 * Tools for a model: the contract, typed tools, and the built-in local tools.
 *
 * @example
 * ```ts
 * import { calculator } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const { name, parameters, execute } = calculator();
 * // The declaration for the model, and the function that its calls run.
 * assertEquals([name, parameters["type"]], ["calculator", "object"]);
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const answer = await execute?.({ expression: "2^10" }, context);
 * assertEquals(answer, { result: "1024", exact: true });
 * ```
 *
 * @module
 */

export { calculator } from "./calculator.ts";
export { datetime, type DatetimeOptions } from "./datetime.ts";
export { fileRead } from "./file_read.ts";
export type { FileReadResult } from "./file_read/read_range.ts";
export { fileSearch, type FileSearchOptions } from "./file_search.ts";
export type { FileSearchResult, FoundLine } from "./file_search/search.ts";
export { fileWrite, type FileWriteOptions } from "./file_write.ts";
export type {
  FilePermission,
  FilePermissionRequest,
  FileWriteMode,
  FileWriteResult,
} from "./file_write/write.ts";
export { isJsonObject, type JsonObject } from "./json.ts";
export { listDir } from "./list_dir.ts";
export type { ListDirResult, ListedEntry } from "./list_dir/list_folder.ts";
export { DEFAULT_FILE_DENY } from "./sandbox/deny_list.ts";
export type { WorkspaceOptions } from "./sandbox/lazy_workspace.ts";
export type { WorkspaceFolder } from "./sandbox/workspace.ts";
export { shell, type ShellOptions } from "./shell.ts";
export type { ShellPermission, ShellPermissionRequest, ShellResult } from "./shell/run_command.ts";
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
export {
  type Tool,
  ToolContent,
  type ToolContext,
  ToolError,
  type ToolExecute,
  type ToolImage,
} from "./tool.ts";
