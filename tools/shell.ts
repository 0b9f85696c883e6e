import { lazyWorkspace, type WorkspaceOptions } from "./sandbox/lazy_workspace.ts";
import { byteLimit, GRACE_MS, timeLimit } from "./sandbox/limits.ts";
import type { ShellPermission } from "./shell/run_command.ts";
import type { Tool } from "./tool.ts";
import { tool } from "./typed_tool.ts";

/**
 * Options of {@linkcode shell}.
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
   * The folder that commands run in, or below. It is where they start, and no boundary: a granted
   * command may do all that its user may. A path, or a folder that the tool shares with others.
   *
   * @default {"."}
   */
  readonly workspace?: WorkspaceOptions["workspace"];
  /** Decides on each call. Absent: every call is refused. */
  readonly permission?: ShellPermission | undefined;
  /**
   * Longest wait for the permission in milliseconds; no answer refuses.
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
   * Bytes to keep of each output: half from its beginning, half from its end.
   *
   * @default {32_768}
   */
  readonly maxOutputBytes?: number | undefined;
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

/**
 * The tool `shell`. It is refused unless the `permission` callback grants the very call. A granted
 * command runs in a new process group, with a time limit and a clean environment, without input,
 * and no process of it outlives the call. It needs a Unix, and of Deno `--allow-run`, `--allow-env`
 * and `--allow-read`.
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
    // The runner of the tool has to wait for the permission, the command and its end.
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
