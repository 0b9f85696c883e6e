import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { BoundedOutput } from "./bounded_output.ts";
import { kill } from "./kill.ts";
import { GRACE_MS } from "./limits.ts";
import { killStragglers } from "./stragglers.ts";

/** A program to run. */
export interface GroupCommand {
  /** Path of the program. */
  readonly file: string;
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Limits of a run. */
export interface GroupLimits {
  /** Longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Bytes kept of each output. */
  readonly maxOutputBytes: number;
  /** Stops the run when aborted. */
  readonly signal: AbortSignal;
}

/** Reason for ending a run from outside. */
export type StopReason = "timeout" | "output" | "abort";

/** Result of a run. */
export interface GroupResult {
  /** Exit code; `null` when a signal ended it. */
  readonly exitCode: number | null;
  /** Signal that ended it. */
  readonly signal: string | null;
  /** Reason for ending it from outside; absent when it ended by itself. */
  readonly stopped: StopReason | undefined;
  /** Standard output. */
  readonly stdout: BoundedOutput;
  /** Standard error. */
  readonly stderr: BoundedOutput;
}

/**
 * Largest total output in bytes; more ends the run, because reading it would keep the service busy.
 */
export const MAX_TOTAL_BYTES = 16 * 1024 * 1024;

/**
 * Environment variable that identifies the run, so that processes that left the group can be found.
 */
export const RUN_MARK = "SVC_TOOLS_RUN";

/**
 * Longest wait for the end of the pipes in milliseconds: a process that left the group may hold
 * them open.
 */
const DRAIN_MS = 500;

/**
 * Runs a program in a new process group, without input. When it ends, or reaches a limit of time or
 * output, every process of the group is killed: first by a request, then by force.
 *
 * A process that makes itself the leader of another group or session (`setsid`) is not in the group.
 * On Linux it is found by a mark in its environment and killed as well, unless it has cleared that;
 * only a container stops such processes.
 */
export async function runInGroup(
  { file, args, cwd, env }: GroupCommand,
  { timeoutMs, maxOutputBytes, signal }: GroupLimits,
): Promise<GroupResult> {
  const mark = crypto.randomUUID();
  const child = spawn(file, args, {
    cwd,
    env: { ...env, [RUN_MARK]: mark },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close").catch(() => undefined);
  const outputs = {
    stdout: new BoundedOutput(maxOutputBytes),
    stderr: new BoundedOutput(maxOutputBytes),
  };
  let stopped: StopReason | undefined;
  let force: ReturnType<typeof setTimeout> | undefined;
  const stop = (reason: StopReason) => {
    if (stopped !== undefined) return;
    stopped = reason;
    killGroup(child, "SIGTERM");
    force = setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
  };
  const onAbort = () => stop("abort");
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Uint8Array) => {
      outputs[name].push(chunk);
      if (outputs[name].total > MAX_TOTAL_BYTES) stop("output");
    });
  }
  try {
    const [exitCode, exitSignal]: (number | string | null)[] = await once(child, "exit");
    return {
      exitCode: typeof exitCode === "number" ? exitCode : null,
      signal: typeof exitSignal === "string" ? exitSignal : null,
      stopped,
      ...outputs,
    };
  } finally {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    clearTimeout(force);
    killGroup(child, "SIGKILL");
    if (child.pid !== undefined) await killStragglers(mark);
    await drain(child, closed);
  }
}

function killGroup({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid !== undefined) kill(-pid, signal);
}

/** Reads the rest of the pipes, for a bounded time when a remaining process may still write. */
async function drain(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, DRAIN_MS));
  await Promise.race([closed, late]);
  clearTimeout(timer);
  child.stdout?.destroy();
  child.stderr?.destroy();
}
