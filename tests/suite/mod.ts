/**
 * `deno task test`: runs every test of the repository, several processes at once, checks types, and
 * runs the examples in documentation. `--unit` runs the tests beside the code alone. Given paths, it
 * is `deno test` on these. Other flags are flags of `deno test`.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { type Bundle, bundlesOf, isCovered, isUnitTest, moduleOf, testFiles } from "./bundles.ts";
import { type Counts, type Job, type Outcome, type RunningJob, startJob } from "./job.ts";

const ROOT_URL = new URL("../../", import.meta.url);
const ROOT = fromFileUrl(ROOT_URL);
/** Silence after which the running jobs are named, in milliseconds. */
const SILENCE_MS = 15_000;
/** Jobs beyond the number of cores: many tests wait more than they compute. */
const JOBS_MORE_THAN_CORES = 2;

/** Options of the command line. */
export interface RunOptions {
  readonly unit: boolean;
  readonly check: boolean;
  /** Remove what an earlier run left in the folder of `--coverage`. */
  readonly clean: boolean;
  /** Flags of `deno test`. */
  readonly flags: readonly string[];
  /** Paths, and values of flags that stand by themselves. */
  readonly words: readonly string[];
}

/** Parses the arguments of the task. */
export function parseArguments(args: readonly string[]): RunOptions {
  const own = ["--unit", "--no-check", "--clean"];
  return {
    unit: args.includes("--unit"),
    check: !args.includes("--no-check"),
    clean: args.includes("--clean"),
    flags: args.filter((arg) => arg.startsWith("-") && !own.includes(arg)),
    words: args.filter((arg) => !arg.startsWith("-")),
  };
}

/** The processes of a run, in the order in which they should begin. */
export function jobsOf(
  files: readonly string[],
  { unit, check, flags }: RunOptions,
  write: (bundle: Bundle) => string,
): Job[] {
  const always = ["test", "-P", ...configuration(flags)];
  const uncovered = flags.filter((flag) => !flag.startsWith("--coverage"));
  const bundles = bundlesOf(files).map((bundle): Job => ({
    name: bundle.name,
    args: [
      ...always,
      ...["--quiet", "--no-check"],
      ...(bundle.files.some(isCovered) ? flags : uncovered),
      write(bundle),
    ],
    hasTests: true,
  }));
  if (unit) return bundles;
  const examples: Job = {
    name: "examples in documentation",
    args: [
      ...always,
      ...["--quiet", "--no-check", "--doc", "--parallel", "--ignore=**/*_test.ts,**/*_test.tsx"],
      ...uncovered,
    ],
    hasTests: true,
  };
  const types: Job = {
    name: "types",
    args: [...always, "--doc", "--no-run", ...uncovered],
    hasTests: false,
  };
  return [...(check ? [types] : []), ...bundles, examples];
}

/** Bundles lie elsewhere and would find no configuration. */
function configuration(flags: readonly string[]): string[] {
  return flags.some((flag) => flag.startsWith("--config")) ? [] : ["--config", "deno.json"];
}

/** Runs jobs, as many at once as the machine has use for, and prints how each ends. */
async function runAll(jobs: readonly Job[]): Promise<Outcome[]> {
  const waiting = [...jobs];
  const running = new Set<RunningJob>();
  const outcomes: Outcome[] = [];
  let printedMs = performance.now();
  const print = (text: string): void => {
    printedMs = performance.now();
    console.log(text);
  };
  const watch = setInterval(() => {
    if (performance.now() - printedMs < SILENCE_MS) return;
    print(
      `     ${[...running].map(({ job, seconds }) => `${job.name} (${seconds()} s)`).join(", ")}`,
    );
  }, 1_000);
  // A hanging test is named in what its process has printed.
  const stop = (): void => {
    for (const { job, output, kill } of running) {
      print(`${output()}\nSTOPPED ${job.name}`);
      kill();
    }
    Deno.exit(1);
  };
  Deno.addSignalListener("SIGTERM", stop);
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const started = startJob(job, ROOT);
      running.add(started);
      const outcome = await started.outcome;
      running.delete(started);
      outcomes.push(outcome);
      print(lineOf(outcome, `${outcomes.length}/${jobs.length}`));
    }
  };
  const atOnce = navigator.hardwareConcurrency + JOBS_MORE_THAN_CORES;
  await Promise.all(Array.from({ length: atOnce }, work));
  clearInterval(watch);
  Deno.removeSignalListener("SIGTERM", stop);
  return outcomes;
}

function lineOf({ job, ok, counts, seconds }: Outcome, place: string): string {
  const count = job.hasTests ? `, ${textOf(counts)}` : "";
  return `${ok ? "ok  " : "FAIL"} ${job.name}${count} (${seconds} s) [${place}]`;
}

function textOf({ passed, failed, ignored }: Counts): string {
  return `${passed} passed, ${failed} failed${ignored === 0 ? "" : `, ${ignored} ignored`}`;
}

/** Runs the suite; the exit status. */
async function runSuite(options: RunOptions): Promise<number> {
  const startedMs = performance.now();
  const folder = await Deno.makeTempDir({ prefix: "svc-tests-" });
  // Coverage leaves out what is below a folder of this name.
  const bundles = join(folder, "tests");
  await Deno.mkdir(bundles);
  try {
    if (options.clean) await removeCoverage(options.flags);
    const all = await testFiles(ROOT.replace(/\/$/, ""));
    const files = options.unit ? all.filter(isUnitTest) : all;
    const jobs = jobsOf(files, options, (bundle) => {
      const path = join(bundles, `${bundle.name.replaceAll(/\W+/g, "_")}.ts`);
      Deno.writeTextFileSync(path, moduleOf(bundle, ROOT_URL.href));
      return path;
    });
    console.log(`${files.length} test files, ${jobs.length} processes`);
    const outcomes = await runAll(jobs);
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    return summarize(outcomes, seconds);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Prints all that failed jobs printed, and the counts of all jobs; the exit status. */
function summarize(outcomes: readonly Outcome[], seconds: number): number {
  const sum = (name: keyof Counts) => outcomes.reduce((sum, each) => sum + each.counts[name], 0);
  const broken = outcomes.filter(({ ok }) => !ok);
  for (const { job, output } of broken) {
    console.log(`\n== ${job.name}\n${output}`);
  }
  const counts = { passed: sum("passed"), failed: sum("failed"), ignored: sum("ignored") };
  console.log(`\n${seconds} s${broken.length === 0 ? "" : `; failed: ${namesOf(broken)}`}`);
  console.log(
    `${broken.length === 0 ? "ok" : "FAILED"} | ${textOf(counts).replaceAll(", ", " | ")}`,
  );
  return broken.length === 0 ? 0 : 1;
}

function namesOf(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ job }) => job.name).join(", ");
}

async function removeCoverage(flags: readonly string[]): Promise<void> {
  const [, folder = ""] = /^--coverage=(.+)$/m.exec(flags.join("\n")) ?? [];
  if (folder === "") return;
  await Deno.remove(join(ROOT, folder), { recursive: true }).catch(() => {});
}

/** `deno test` on paths, as typed. */
async function runPaths(args: readonly string[]): Promise<number> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["test", "-P", "--doc", ...args.filter((arg) => arg !== "--unit")],
    cwd: ROOT,
  });
  return (await command.spawn().status).code;
}

if (import.meta.main) {
  const options = parseArguments(Deno.args);
  Deno.exit(options.words.length > 0 ? await runPaths(Deno.args) : await runSuite(options));
}
