/**
 * A process of a test run, and the counts that it prints.
 *
 * @module
 */

import { stripVTControlCharacters } from "node:util";

/** One process of the run. */
export interface Job {
  readonly name: string;
  /** Arguments of `deno`. */
  readonly args: readonly string[];
  /** True where it runs tests, and so prints a summary of them. */
  readonly hasTests: boolean;
}

/** Counts of tests. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

/** The outcome of a job that has ended. */
export interface Outcome {
  readonly job: Job;
  readonly ok: boolean;
  readonly counts: Counts;
  readonly seconds: number;
  /** The text that it printed. */
  readonly output: string;
}

const NOTHING: Counts = { passed: 0, failed: 0, ignored: 0 };

/** A job that runs. */
export interface RunningJob {
  readonly job: Job;
  readonly outcome: Promise<Outcome>;
  readonly seconds: () => number;
  /** Returns the text that it has printed so far. */
  readonly output: () => string;
  readonly kill: () => void;
}

/** Starts a job. */
export function startJob(job: Job, cwd: string): RunningJob {
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1_000);
  const command = new Deno.Command(Deno.execPath(), {
    args: [...job.args],
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  let output = "";
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) output += text;
  };
  const ended = Promise.all([child.status, collect(child.stdout), collect(child.stderr)]);
  const outcome = ended.then(([{ success }]): Outcome => {
    const counts = job.hasTests ? countsIn(output) : NOTHING;
    const ok = success && counts !== undefined;
    return { job, ok, counts: counts ?? NOTHING, seconds: seconds(), output };
  });
  return { job, outcome, seconds, output: () => output, kill: () => child.kill("SIGTERM") };
}

/** Counts of the last summary in a text; output of tests may hold summaries of its own. */
export function countsIn(output: string): Counts | undefined {
  const summaries = stripVTControlCharacters(output).matchAll(
    /^(?:ok|FAILED) \| (\d+) passed(.*)$/gm,
  );
  const last = [...summaries].at(-1);
  if (last === undefined) return undefined;
  const [, passed, rest = ""] = last;
  const [, failed] = /\| (\d+) failed/.exec(rest) ?? [];
  const [, ignored = 0] = /\| (\d+) ignored/.exec(rest) ?? [];
  if (failed === undefined) return undefined;
  return { passed: Number(passed), failed: Number(failed), ignored: Number(ignored) };
}
