import {
  calculator,
  datetime,
  type FilePermission,
  fileRead,
  fileSearch,
  fileWrite,
  listDir,
  shell,
  type ShellPermission,
  type Tool,
  type WorkspaceOptions,
} from "@svc/tools";
import { ConfigurationError } from "../errors.ts";
import type { DefaultTools, HostedToolName } from "./selection.ts";

/**
 * Which tools a client offers by itself, and where they may work.
 *
 * @example
 * ```ts
 * import type { DefaultToolsOptions } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const options: DefaultToolsOptions = {
 *   fileWorkspace: "./project",
 *   withoutDefaultTools: ["shell"],
 *   filePermission: ({ path }) => path.startsWith("notes/"),
 * };
 * assertEquals(options.shellPermission, undefined, "No command would run");
 * ```
 */
export interface DefaultToolsOptions {
  /**
   * Offers the built-in local tools: `calculator`, `datetime`, `file_read`, `list_dir`,
   * `file_search`, `file_write` and `shell`.
   *
   * @default {true}
   */
  readonly defaultLocalTools?: boolean | undefined;
  /**
   * Offers the hosted tool `web_search_preview`, which the service runs and bills.
   *
   * @default {false}
   */
  readonly defaultBuiltinTools?: boolean | undefined;
  /** Default tools to leave out. Tools that the application registers are never affected. */
  readonly withoutDefaultTools?: readonly DefaultToolName[] | undefined;
  /**
   * The folder that the file tools work in, and that nothing leads out of.
   *
   * @default {"."}
   */
  readonly fileWorkspace?: string | undefined;
  /**
   * Files that are neither read nor searched: patterns as in a `.gitignore`.
   *
   * @default {DEFAULT_FILE_DENY of @svc/tools: files that hold secrets}
   */
  readonly fileDeny?: readonly string[] | undefined;
  /**
   * The folder that commands start in.
   *
   * @default {"."}
   */
  readonly shellWorkspace?: string | undefined;
  /** Asked about each write of `file_write`. Absent: every write is refused. */
  readonly filePermission?: FilePermission | undefined;
  /** Asked about each command of `shell`. Absent: every command is refused. */
  readonly shellPermission?: ShellPermission | undefined;
}

/**
 * A local tool that a client may offer by itself.
 *
 * @example
 * ```ts
 * import type { LocalToolName } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const readers: LocalToolName[] = ["file_read", "list_dir", "file_search"];
 * assertEquals(readers.length, 3);
 * ```
 */
export type LocalToolName =
  | "calculator"
  | "datetime"
  | "file_read"
  | "list_dir"
  | "file_search"
  | "file_write"
  | "shell";

/**
 * A tool that a client may offer by itself.
 *
 * @example
 * ```ts
 * import type { DefaultToolName } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const withoutDefaultTools: DefaultToolName[] = ["shell", "file_write", "web_search_preview"];
 * assertEquals(withoutDefaultTools.includes("shell"), true);
 * ```
 */
export type DefaultToolName = LocalToolName | HostedToolName;

const LOCAL: Readonly<Record<LocalToolName, (options: DefaultToolsOptions) => Tool>> = {
  calculator: () => calculator(),
  datetime: () => datetime(),
  file_read: (options) => fileRead(filesOf(options)),
  list_dir: (options) => listDir(filesOf(options)),
  file_search: (options) => fileSearch(filesOf(options)),
  file_write: (options) => fileWrite({ ...filesOf(options), permission: options.filePermission }),
  shell: ({ shellPermission, shellWorkspace }) =>
    shell({ permission: shellPermission, workspace: shellWorkspace }),
};

/** Names of all of them. */
export const DEFAULT_TOOL_NAMES: readonly string[] = [...Object.keys(LOCAL), "web_search_preview"];

/**
 * The defaults of a client, as its options have them.
 *
 * @throws {ConfigurationError} What is to be denied cannot be.
 */
export function defaultTools(options: DefaultToolsOptions): DefaultTools {
  const { defaultLocalTools = true, defaultBuiltinTools = false } = options;
  const left = new Set<string>(options.withoutDefaultTools);
  if (options.fileDeny !== undefined) checkDeny(options);
  let made: readonly Tool[] | undefined;
  return {
    local: () => made ??= defaultLocalTools ? localTools(options, left) : [],
    hosted: defaultBuiltinTools && !left.has("web_search_preview") ? ["web_search_preview"] : [],
  };
}

function localTools(options: DefaultToolsOptions, left: ReadonlySet<string>): readonly Tool[] {
  return Object.entries(LOCAL)
    .filter(([name]) => !left.has(name))
    .map(([, make]) => make(options));
}

/** Makes a tool of them: else the first call would be the one to fail. */
function checkDeny(options: DefaultToolsOptions): void {
  try {
    fileRead(filesOf(options));
  } catch (error) {
    throw error instanceof TypeError ? new ConfigurationError(error.message) : error;
  }
}

function filesOf({ fileDeny, fileWorkspace }: DefaultToolsOptions): WorkspaceOptions {
  return { fileDeny, workspace: fileWorkspace };
}
