import process from "node:process";
import { isGranted } from "./sandbox/permission.ts";
import { GRACE_MS, type GroupResult, runInGroup } from "./sandbox/process_group.ts";
import { Workspace } from "./sandbox/workspace.ts";
import { commandEnvironment, missingFlags } from "./shell/environment.ts";
import { findWorkingDir } from "./shell/working_dir.ts";
import { type Tool, type ToolContext, ToolError } from "./tool.ts";
import { type InputOf, tool } from "./typed_tool.ts";

/** A command that a model wants to run. It is what runs once it is granted. */
export interface ShellPermissionRequest {
  /** The command line. Of an argument list: the same as a command line, quoted. */
  readonly command: string;
  /** The argument list, where the model gave one: it runs without a shell to interpret it. */
  readonly args?: readonly string[];
  /** The folder that it runs in: an absolute path without links. */
  readonly workingDir: string;
  /** Id of the call that the model made. */
  readonly toolCallId: string;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** Decides about one command. Anything but `true` refuses it. */
export type ShellPermission = (
  request: ShellPermissionRequest,
) => boolean | Promise<boolean>;

/** What {@linkcode shell} can be told. */
export interface ShellOptions {
  /**
   * The folder that commands run in, or below. It is where they start, not a wall: a granted command
   * may do whatever its user may.
   *
   * @default {"."}
   */
  readonly workspace?: string | undefined;
  /** Asked about every call. Absent: every call is refused. */
  readonly permission?: ShellPermission | undefined;
  /**
   * Longest wait for the permission in milliseconds; silence refuses.
   *
   * @default {300_000}
   */
  readonly permissionTimeoutMs?: number | undefined;
  /**
   * Longest run of a command in milliseconds.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Bytes kept of each output: half from its beginning, half from its end.
   *
   * @default {32_768}
   */
  readonly maxOutputBytes?: number | undefined;
}

/** What the model is told of a command that ran. */
export interface ShellResult {
  /** The exit code; `null` where a signal ended it. */
  readonly exit_code: number | null;
  /** The signal that ended it. */
  readonly signal?: string;
  /** Why it was stopped. */
  readonly stopped?: string;
  /** What it wrote. */
  readonly stdout: string;
  /** What it wrote about errors. */
  readonly stderr: string;
}

/** With all bytes of its characters, it stays within what every system takes. */
const MAX_LINE_CHARS = 32_768;

const DESCRIPTION = `Runs a program in the workspace and returns its exit code and output. Give \
either "command", a line for /bin/sh, or "args", the program and its arguments as they are, without \
quoting. Nothing can be typed into it, every process it starts ends with it, and long output is cut \
in the middle. Every call has to be permitted; do not repeat one that was refused.`;

const PARAMETERS = {
  type: "object",
  properties: {
    command: {
      type: "string",
      description: 'A command line for /bin/sh, such as "grep -rn main src | head"',
    },
    args: {
      type: "array",
      items: { type: "string" },
      description: 'The program and its arguments, such as ["ls", "-l", "my folder"]',
    },
    working_dir: {
      type: "string",
      maxLength: 4_096,
      description: "Folder to run in, relative to the workspace; by default the workspace itself",
    },
  },
  additionalProperties: false,
} as const;

/**
 * The tool `shell`. It is refused unless the `permission` callback grants that very call; what was
 * granted is what runs: in a process group of its own, with a time limit and a clean environment,
 * nothing to read, and nothing left running. It needs a Unix, and of Deno `--allow-run`,
 * `--allow-env` and `--allow-read`.
 *
 * @example
 * ```ts
 * import { shell } from "@svc/tools";
 *
 * const { execute } = shell({
 *   workspace: ".",
 *   permission: ({ args }) => args?.[0] === "echo",
 * });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const result = await execute?.({ args: ["echo", "hello"] }, context);
 * console.log(result); // { exit_code: 0, stdout: "hello\n", stderr: "" }
 * ```
 */
export function shell(options: ShellOptions = {}): Tool {
  const settings: Settings = {
    workspace: new Workspace({ workspace: options.workspace }),
    permission: options.permission,
    permissionTimeoutMs: options.permissionTimeoutMs ?? 300_000,
    timeoutMs: options.timeoutMs ?? 60_000,
    maxOutputBytes: options.maxOutputBytes ?? 32_768,
  };
  return tool({
    name: "shell",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    // Whoever runs the tool waits for the permission, the command and its end.
    timeoutMs: settings.permissionTimeoutMs + settings.timeoutMs + 2 * GRACE_MS,
    execute: (input, context) => run(input, settings, context),
  });
}

interface Settings {
  readonly workspace: Workspace;
  readonly permission: ShellPermission | undefined;
  readonly permissionTimeoutMs: number;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

async function run(
  input: InputOf<typeof PARAMETERS>,
  settings: Settings,
  context: ToolContext,
): Promise<ShellResult> {
  const { workspace, permission, permissionTimeoutMs, timeoutMs, maxOutputBytes } = settings;
  const { signal } = context;
  if (permission === undefined) {
    throw refused("the application permits no commands; it can with a permission callback");
  }
  checkHost();
  const { root, path, isSame } = await findWorkingDir(workspace, input.working_dir || ".");
  const request = readRequest(input, path, context);
  if (!await isGranted(permission, request, { timeoutMs: permissionTimeoutMs, signal })) {
    throw refused("the application did not permit this command");
  }
  if (!await isSame().catch(() => false)) {
    throw refused("the folder was replaced after the command was permitted");
  }
  const { command, args } = request;
  const result = await runInGroup({
    file: "/bin/sh",
    args: args === undefined ? ["-c", "--", command] : ["-c", 'exec "$@"', "sh", ...args],
    cwd: path,
    env: commandEnvironment(root),
  }, { timeoutMs, maxOutputBytes, signal });
  return describe(result, timeoutMs);
}

function refused(reason: string): ToolError {
  return new ToolError(`The command did not run: ${reason}`, { code: "permission_denied" });
}

function checkHost(): void {
  if (process.platform === "win32") {
    throw new ToolError("Cannot run commands on Windows", { code: "not_supported" });
  }
  const flags = missingFlags();
  if (flags.length === 0) return;
  throw new ToolError(
    "Cannot run commands: the program runs without the Deno permission for it; " +
      `whoever runs it can add ${flags.join(" and ")}`,
    { code: "permission_missing" },
  );
}

/** The request, of copies that nobody else can change. */
function readRequest(
  { command, args }: InputOf<typeof PARAMETERS>,
  workingDir: string,
  { toolCallId, signal }: ToolContext,
): ShellPermissionRequest {
  const given = args?.length ? Object.freeze([...args]) : undefined;
  const line = command || given?.map(quoted).join(" ");
  if (line === undefined || (command && given)) {
    throw invalid('Give either "command" or "args"');
  }
  if (line.includes("\0")) throw invalid("A command cannot contain the character NUL");
  if (line.length > MAX_LINE_CHARS) {
    throw invalid(`A command cannot be longer than ${MAX_LINE_CHARS} characters`);
  }
  const about = { command: line, workingDir, toolCallId, signal };
  return Object.freeze(given === undefined ? about : { ...about, args: given });
}

function invalid(message: string): ToolError {
  return new ToolError(message, { code: "invalid_tool_arguments" });
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;
}

function describe(
  { exitCode, signal, stopped, stdout, stderr }: GroupResult,
  timeoutMs: number,
): ShellResult {
  const reasons = {
    timeout: `It was stopped after ${timeoutMs} ms`,
    output: "It was stopped because it wrote too much",
    abort: "It was stopped because the result is not wanted any more",
  };
  return {
    exit_code: exitCode,
    ...(signal === null ? {} : { signal }),
    ...(stopped === undefined ? {} : { stopped: reasons[stopped] }),
    stdout: stdout.text(),
    stderr: stderr.text(),
  };
}
