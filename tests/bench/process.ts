import { TextLineStream } from "@std/streams";

/**
 * Processes of a benchmark run: started here, ended here.
 *
 * @module
 */

import { serviceEnvironment } from "../fixtures/task_flags.ts";

const ROOT = new URL("../../", import.meta.url);
const START_TIMEOUT_MS = 90_000;
/** Of the times in `/proc`, on every Linux that there is. */
export const TICKS_PER_SECOND = 100;
const STOP_TIMEOUT_MS = 5_000;

/** A process that runs, and what it prints. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** The next line of its standard output. Throws where there is none any more. */
  line(): Promise<string>;
  /** All further lines of its standard output, up to its end. */
  lines(): AsyncIterable<string>;
  /** Writes a line to its standard input. */
  say(line: string): Promise<void>;
}

/** Options of a process. */
export interface StartOptions {
  /** Flags of V8. */
  readonly flags?: readonly string[];
  /** Runs only while no other process wants the processor: `nice` of 19, where the system has it. */
  readonly yielding?: boolean;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program of this checkout, named from its root. */
export function start(
  program: string,
  args: readonly string[] = [],
  { flags = [], yielding = false, env = {} }: StartOptions = {},
): Running {
  const permissions = ["--allow-net", "--allow-env", "--allow-read", "--allow-write"];
  const command = [Deno.execPath(), "run", "--quiet", ...permissions, ...flags];
  // `nice` becomes what it starts: the process keeps its id.
  if (yielding && Deno.build.os !== "windows") command.unshift("nice", "-n", "19");
  const [executable = "", ...before] = command;
  const child = new Deno.Command(executable, {
    args: [...before, new URL(program, ROOT).href, ...args],
    cwd: ROOT,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = linesOf(child.stdout);
  const writer = child.stdin.getWriter();
  const encoder = new TextEncoder();
  return {
    pid: child.pid,
    lines: () => lines,
    say: (line) => writer.write(encoder.encode(`${line}\n`)),
    async line() {
      const { done, value } = await lines.next();
      if (done) throw new Error(`Cannot go on: ${program} has ended`);
      return value;
    },
    async [Symbol.asyncDispose]() {
      // The process may have ended by itself, and then its input is closed.
      await writer.close().catch(() => {});
      if (!await endsWithin(child, 500)) child.kill("SIGTERM");
      if (!await endsWithin(child, STOP_TIMEOUT_MS)) child.kill("SIGKILL");
      await lines.return?.();
      await child.status;
    },
  };
}

/**
 * Flags and variables of the task `serve`, for a process without its permission set. The sources are
 * translated by then, as that task does it.
 */
export async function asTask(): Promise<Required<Pick<StartOptions, "flags" | "env">>> {
  const { DENO_V8_FLAGS, ...variables } = await serviceEnvironment();
  const translating = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "serve:prepare"],
    cwd: ROOT,
  });
  const { success, stderr } = await translating.output();
  if (!success) throw new Error(`Cannot go on: ${new TextDecoder().decode(stderr)}`);
  return { flags: [`--v8-flags=${DENO_V8_FLAGS}`], env: variables };
}

/** Reads lines until one matches; the match's first group. */
export async function expectLine(
  running: Running,
  pattern: RegExp,
  timeoutMs: number = START_TIMEOUT_MS,
): Promise<string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  while (!timeout.aborted) {
    const match = pattern.exec(await running.line());
    if (match !== null) return match[1] ?? match[0];
  }
  throw new Error(`Cannot go on: nothing like ${pattern} was printed`);
}

/** Resident memory of a process in megabytes; `undefined` where the system does not show it. */
export async function residentMegabytes(pid: number): Promise<number | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  // Deno itself reads files under /proc only where everything is allowed.
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/status`] }).output();
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(new TextDecoder().decode(stdout))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

/** Processor time that a process has taken, in seconds; `undefined` where the system does not show it. */
export async function processorSeconds(pid: number): Promise<number | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).output();
  // Its name may have spaces, and stands in brackets; what follows is counted from the third field on.
  const fields = new TextDecoder().decode(stdout).split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks / TICKS_PER_SECOND : undefined;
}

/**
 * Bytes that a process has had written to its disk so far; `undefined` where the system does not show
 * it.
 */
export async function writtenBytes(pid: number): Promise<number | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/io`] }).output();
  const bytes = /^write_bytes: (\d+)$/m.exec(new TextDecoder().decode(stdout))?.[1];
  return bytes === undefined ? undefined : Number(bytes);
}

function linesOf(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncIterableIterator<string> {
  return bytes.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream()).values();
}

async function endsWithin(child: Deno.ChildProcess, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  const ended = await Promise.race([child.status.then(() => true), promise]);
  clearTimeout(timer);
  return ended;
}
