import { lazyWorkspace, type WorkspaceFolder } from "./sandbox/lazy_workspace.ts";
import { byteLimit, GRACE_MS, timeLimit } from "./sandbox/limits.ts";
import type { Tool } from "./tool.ts";
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

/**
 * What {@linkcode shell} can be told.
 *
 * @example
 * ```ts
 * import { shell, type ShellOptions } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const options: ShellOptions = {
 *   workspace: "./project",
 *   permission: ({ args }) => args?.[0] === "git",
 *   timeoutMs: 10_000,
 * };
 * assertEquals(shell(options).name, "shell");
 * ```
 */
export interface ShellOptions {
  /**
   * The folder that commands run in, or below. It is where they start, not a wall: a granted command
   * may do whatever its user may. A path, or a folder that the tool shares with others.
   *
   * @default {"."}
   */
  readonly workspace?: string | WorkspaceFolder | undefined;
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

const DESCRIPTION = `Runs a program in the workspace and returns its exit code and output. Give \
either "command", a line for /bin/sh, or "args", the program and its arguments as they are, without \
quoting. Nothing can be typed into it, what it leaves running in the background is ended with it, \
and long output is cut in the middle. Every call has to be permitted; do not repeat one that was \
refused.`;

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

/** What a model gives: a command line or an argument list, and a folder. */
export type ShellInput = InputOf<typeof PARAMETERS>;

/**
 * The tool `shell`. It is refused unless the `permission` callback grants that very call; what was
 * granted is what runs: in a process group of its own, with a time limit and a clean environment,
 * nothing to read, and nothing left running. It needs a Unix, and of Deno `--allow-run`,
 * `--allow-env` and `--allow-read`.
 *
 * @example
 * ```ts
 * import { shell } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const { execute } = shell({
 *   workspace: ".",
 *   permission: ({ args }) => args?.[0] === "echo",
 * });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const result = await execute?.({ args: ["echo", "hello"] }, context);
 * assertEquals(result, { exit_code: 0, stdout: "hello\n", stderr: "" });
 * ```
 */
export function shell(options: ShellOptions = {}): Tool {
  const workspace = lazyWorkspace({ workspace: options.workspace });
  const settings = {
    permission: options.permission,
    permissionTimeoutMs: timeLimit("permissionTimeoutMs", options.permissionTimeoutMs ?? 300_000),
    timeoutMs: timeLimit("timeoutMs", options.timeoutMs ?? 60_000),
    maxOutputBytes: byteLimit("maxOutputBytes", options.maxOutputBytes ?? 32_768),
  };
  return tool({
    name: "shell",
    description: `${DESCRIPTION} It is stopped after ${settings.timeoutMs / 1_000} seconds.`,
    parameters: PARAMETERS,
    // Whoever runs the tool waits for the permission, the command and its end.
    timeoutMs: timeLimit(
      "timeoutMs",
      settings.permissionTimeoutMs + settings.timeoutMs + 2 * GRACE_MS,
    ),
    async execute(input, { toolCallId, signal }) {
      const { runCommand } = await import("./shell/run_command.ts");
      return await runCommand(await workspace(), { ...settings, input, toolCallId, signal });
    },
  });
}
