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

/** Which tools a client offers by itself, and where they may work. */
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
   * The folder that the file tools work in, and that nothing leads out of. Links in its path are
   * resolved once, with the first use of any of them.
   *
   * @default {"."}
   */
  readonly fileWorkspace?: string | undefined;
  /**
   * True says that nobody but this program renames folders of the workspace while a tool works in it.
   * On Deno without all permissions and outside Linux, nothing is written into folders of it
   * otherwise, and reading waits until they have rested for a second.
   *
   * @default {false}
   */
  readonly fileTrust?: boolean | undefined;
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

/** A local tool that a client may offer by itself. */
export type LocalToolName =
  | "calculator"
  | "datetime"
  | "file_read"
  | "list_dir"
  | "file_search"
  | "file_write"
  | "shell";

/** A tool that a client may offer by itself. */
export type DefaultToolName = LocalToolName | HostedToolName;

/** The folders that the tools of one client work in: tools of one folder share its root. */
interface Places {
  readonly files: WorkspaceOptions;
  readonly shell: WorkspaceOptions["workspace"];
}

type Make = (places: Places, options: DefaultToolsOptions) => Tool;

const LOCAL: Readonly<Record<LocalToolName, Make>> = {
  calculator: () => calculator(),
  datetime: () => datetime(),
  file_read: ({ files }) => fileRead(files),
  list_dir: ({ files }) => listDir(files),
  file_search: ({ files }) => fileSearch(files),
  file_write: ({ files }, { filePermission }) =>
    fileWrite({ ...files, permission: filePermission }),
  shell: ({ shell: workspace }, { shellPermission }) =>
    shell({ permission: shellPermission, workspace }),
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
  const places = placesOf(options);
  return Object.entries(LOCAL)
    .filter(([name]) => !left.has(name))
    .map(([, make]) => make(places, options));
}

/** Makes a tool of them: else the first call would be the one to fail. */
function checkDeny(options: DefaultToolsOptions): void {
  try {
    fileRead(placesOf(options).files);
  } catch (error) {
    throw error instanceof TypeError ? new ConfigurationError(error.message) : error;
  }
}

function placesOf(options: DefaultToolsOptions): Places {
  const { fileDeny, fileTrust, fileWorkspace = ".", shellWorkspace = "." } = options;
  const workspace = { path: fileWorkspace };
  return {
    files: { fileDeny, fileTrust, workspace },
    shell: shellWorkspace === fileWorkspace ? workspace : shellWorkspace,
  };
}
