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

/** Default tools of a client, and the folders in which they work. */
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
   * The folder that the file tools work in and cannot leave. Links in its path are resolved once,
   * at the first use of any of them.
   *
   * @default {"."}
   */
  readonly fileWorkspace?: string | undefined;
  /**
   * True when no other program renames folders of the workspace while a tool works in it. On Deno
   * without all permissions and outside Linux, nothing is written into folders of it otherwise, and
   * reading waits until they have rested for a second.
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
  /** Decides on each write of `file_write`. Absent: every write is refused. */
  readonly filePermission?: FilePermission | undefined;
  /** Decides on each command of `shell`. Absent: every command is refused. */
  readonly shellPermission?: ShellPermission | undefined;
}

/** A local tool that is on by default. */
export type LocalToolName =
  | "calculator"
  | "datetime"
  | "file_read"
  | "list_dir"
  | "file_search"
  | "file_write"
  | "shell";

/** A tool that is on by default. */
export type DefaultToolName = LocalToolName | HostedToolName;

/** The folders of one client's tools: tools of one folder share its root. */
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

/** Names of all default tools. */
export const DEFAULT_TOOL_NAMES: readonly string[] = [...Object.keys(LOCAL), "web_search_preview"];

/**
 * Returns the default tools for a client's options.
 *
 * @throws {ConfigurationError} What is to be denied cannot be.
 */
export function defaultTools(options: DefaultToolsOptions): DefaultTools {
  const { defaultLocalTools = true, defaultBuiltinTools = false } = options;
  const excluded = new Set<string>(options.withoutDefaultTools);
  if (options.fileDeny !== undefined) checkDeny(options);
  let localList: readonly Tool[] | undefined;
  return {
    local: () => localList ??= defaultLocalTools ? localTools(options, excluded) : [],
    hosted: defaultBuiltinTools && !excluded.has("web_search_preview")
      ? ["web_search_preview"]
      : [],
  };
}

function localTools(options: DefaultToolsOptions, excluded: ReadonlySet<string>): readonly Tool[] {
  const places = placesOf(options);
  return Object.entries(LOCAL)
    .filter(([name]) => !excluded.has(name))
    .map(([, make]) => make(places, options));
}

/** Compiles the deny list now, so that a mistake in it fails before the first call. */
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
