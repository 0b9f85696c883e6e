/**
 * A process of a test run, and the counts that it prints.
 *
 * @module
 */

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

/** How a job ended. */
export interface Outcome {
  readonly job: Job;
  readonly ok: boolean;
  readonly counts: Counts;
  readonly seconds: number;
  /** All that it printed. */
  readonly output: string;
}

const NOTHING: Counts = { passed: 0, failed: 0, ignored: 0 };

/** Runs a job to its end. */
export async function runJob(job: Job, cwd: string): Promise<Outcome> {
  const startedMs = performance.now();
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
  const [{ success }] = await Promise.all([
    child.status,
    collect(child.stdout),
    collect(child.stderr),
  ]);
  const seconds = (performance.now() - startedMs) / 1_000;
  const counts = job.hasTests ? countsIn(output) : NOTHING;
  return { job, ok: success && counts !== undefined, counts: counts ?? NOTHING, seconds, output };
}

/** Counts of the last summary in a text; output of tests may hold summaries of its own. */
export function countsIn(output: string): Counts | undefined {
  // deno-lint-ignore no-control-regex -- Colours of the terminal begin so.
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, "");
  const summaries = plain.matchAll(/^(?:ok|FAILED) \| (\d+) passed(.*)$/gm);
  const last = [...summaries].at(-1);
  if (last === undefined) return undefined;
  const [, passed, rest = ""] = last;
  const [, failed] = /\| (\d+) failed/.exec(rest) ?? [];
  const [, ignored = 0] = /\| (\d+) ignored/.exec(rest) ?? [];
  if (failed === undefined) return undefined;
  return { passed: Number(passed), failed: Number(failed), ignored: Number(ignored) };
}
