import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { kill } from "./kill.ts";
import { GRACE_MS } from "./limits.ts";
import { type GroupCommand, RUN_MARK } from "./process_group.ts";
import { killStragglers } from "./stragglers.ts";

/** A program that runs beside the caller, the leader of a process group. */
export interface ChildGroup {
  /** Its standard input. */
  readonly stdin: Writable;
  /** Its standard output. */
  readonly stdout: Readable;
  /** Its standard error. */
  readonly stderr: Readable;
  /** Resolves when it has ended and every process of its group is killed. Never rejects. */
  readonly ended: Promise<void>;
  /**
   * Ends it: closes its input, then asks it to end, then kills it, with a second between the steps.
   * Resolves with `ended`. Repeated calls do nothing.
   */
  close(): Promise<void>;
}

/**
 * Starts a program in a new process group. When it ends, by itself or by `close`, every process of
 * the group is killed. On Windows only the program
 * itself is.
 *
 * Rejects when it cannot be started.
 *
 * @example
 * ```ts
 * import { startGroup } from "@svc/tools/sandbox";
 * import { assertEquals } from "@std/assert";
 *
 * const group = await startGroup({ file: "/bin/sh", args: ["-c", "cat"], cwd: "/", env: {} });
 * const text = new Promise((resolve) => group.stdout.once("data", resolve));
 * group.stdin.write("hello");
 * assertEquals(String(await text), "hello");
 * await group.close();
 * ```
 */
export async function startGroup({ file, args, cwd, env }: GroupCommand): Promise<ChildGroup> {
  const mark = crypto.randomUUID();
  const child = spawn(file, args, {
    cwd,
    env: { ...env, [RUN_MARK]: mark },
    detached: hasGroups(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Listening from the start: both events come once.
  const exited = once(child, "exit").then(() => {}, () => {});
  await once(child, "spawn");
  const { stderr, stdin, stdout } = child;
  // A program that has ended takes no input; its end is reported by `ended`.
  stdin.on("error", () => {});
  const ended = exited.then(async () => {
    signalGroup(child, "SIGKILL");
    await killStragglers(mark);
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
  });
  let closing: Promise<void> | undefined;
  return {
    ...{ stdin, stdout, stderr, ended },
    close: () => closing ??= closeGroup(child, ended),
  };
}

async function closeGroup(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const { signal } = timer;
  const end = ended.finally(() => timer.abort());
  child.stdin?.end();
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    await Promise.race([end, delay(GRACE_MS, undefined, { signal }).catch(() => {})]);
    if (signal.aborted) break;
    signalGroup(child, name);
  }
  await end;
}

function hasGroups(): boolean {
  return process.platform !== "win32";
}

function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (!hasGroups()) child.kill(signal);
  else if (child.pid !== undefined) kill(-child.pid, signal);
}
