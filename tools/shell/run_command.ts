import process from "node:process";
import { isGranted } from "../sandbox/permission.ts";
import { type GroupResult, runInGroup } from "../sandbox/process_group.ts";
import type { Workspace } from "../sandbox/workspace.ts";
import { type ToolContext, ToolError } from "../tool.ts";
import { commandEnvironment, missingFlags } from "./environment.ts";
import { findWorkingDir } from "./working_dir.ts";

/** A command that the application is asked to permit. Exactly this runs once it is granted. */
export interface ShellPermissionRequest {
  /** The command line; an argument list is quoted as a command line. */
  readonly command: string;
  /** The argument list when the model gave one: it runs without a shell. */
  readonly args?: readonly string[];
  /** The working directory: an absolute path without links. */
  readonly workingDir: string;
  /** Id of the call that the model made. */
  readonly toolCallId: string;
  /** Aborted when the permission is no longer needed. */
  readonly signal: AbortSignal;
}

/** Decides on one command. Any value except `true` refuses it. */
export type ShellPermission = (request: ShellPermissionRequest) => boolean | Promise<boolean>;

/** Result of a command for the model. */
export interface ShellResult {
  /** Exit code; `null` when a signal ended it. */
  readonly exit_code: number | null;
  /** Signal that ended it. */
  readonly signal?: string;
  /** Reason for stopping it. */
  readonly stopped?: string;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** Input of a call: a command line or an argument list, and optionally a folder. */
export interface ShellInput {
  /** A command line for `/bin/sh`. */
  readonly command?: string | undefined;
  /** A program and its arguments, run without a shell. */
  readonly args?: readonly string[] | undefined;
  /** Folder to run in, relative to the workspace. */
  readonly working_dir?: string | undefined;
}

/** Longest command line in characters: its bytes stay within the limit of every system. */
const MAX_LINE_CHARS = 32_768;

/** A call with its limits and its permission callback. */
export interface CommandCall extends ToolContext {
  /** The command and its folder. */
  readonly input: ShellInput;
  /** Decides on the command; absent: it is refused. */
  readonly permission: ShellPermission | undefined;
  /** Longest wait for the permission in milliseconds. */
  readonly permissionTimeoutMs: number;
  /** Longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Bytes kept of each output. */
  readonly maxOutputBytes: number;
}

/** Runs a command in a workspace after permission. */
export async function runCommand(workspace: Workspace, call: CommandCall): Promise<ShellResult> {
  const { input, permission, permissionTimeoutMs, timeoutMs, maxOutputBytes, signal } = call;
  if (permission === undefined) {
    throw refused("the application permits no commands; it can with a permission callback");
  }
  checkHost();
  const { root, path, isSame } = await findWorkingDir(workspace, input.working_dir || ".");
  const request = readRequest(path, call);
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
      `the operator can add ${flags.join(" and ")}`,
    { code: "permission_missing" },
  );
}

/** Returns the request with copies that no other code can change. */
function readRequest(
  workingDir: string,
  { input: { command, args }, toolCallId, signal }: CommandCall,
): ShellPermissionRequest {
  const argumentList = args?.length ? Object.freeze([...args]) : undefined;
  const line = command || argumentList?.map(quoted).join(" ");
  if (line === undefined || (command && argumentList)) {
    throw invalid('Give either "command" or "args"');
  }
  if (line.includes("\0") || !line.isWellFormed()) {
    throw invalid("A command cannot contain the character NUL, or half of a character");
  }
  // Some shells would read it as an option of their own.
  if (argumentList?.[0]?.startsWith("-")) {
    throw invalid("The first of args is a program, not an option");
  }
  if (line.length > MAX_LINE_CHARS) {
    throw invalid(`A command cannot be longer than ${MAX_LINE_CHARS} characters`);
  }
  const about = { command: line, workingDir, toolCallId, signal };
  return Object.freeze(argumentList === undefined ? about : { ...about, args: argumentList });
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
