/**
 * Evaluates routing on public questions with the outcomes of real models:
 *
 * ```sh
 * deno task eval:public --data DIR
 * ```
 *
 * `DIR` holds gzipped JSON lines (`data.ts` describes them); the repository holds none. Without data
 * the evaluation is skipped. Every question runs through the real features and the real `route()`
 * with snapshots that the gateway's own functions took from the training half.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { DIFFICULTY_CONSTANTS } from "../../../gateway/domain/routing/difficulty.ts";
import { DataError, filesIn, limitSet, pooled, type QuestionSet, readSet } from "./data.ts";
import { benchWith, constantsOf, fitSet, type SetFit } from "./difficulty_fit.ts";
import { evaluateSet } from "./evaluate.ts";
import { evaluateFeedback } from "./feedback.ts";
import { svgOf, textPlotOf } from "./plot.ts";
import { BOOTSTRAP_DRAWS, BOOTSTRAP_SEED, orderOf, SPLIT_SEEDS } from "./random.ts";
import { benchOf } from "./replay.ts";
import { type EvalReport, feedbackLines, plotOf, setLines } from "./report.ts";
import { AUDITS, VOTES } from "./snapshots.ts";
import { jsonOf } from "./json.ts";

/** Questions of a set that are read; of a larger one as many are drawn. */
const QUESTIONS_MAX = 3_000;

/** Options of a run. */
export interface EvalOptions {
  readonly data?: string | undefined;
  /** Number of splits, 1 to 20. */
  readonly splits: number;
  /** True to print one JSON document instead of the tables. */
  readonly json: boolean;
  /** Path of the plot to write. */
  readonly svg?: string | undefined;
}

/** Parses the options; returns the reason if they are malformed. */
export function parseOptions(
  args: readonly string[],
): { readonly ok: true; readonly options: EvalOptions } | {
  readonly ok: false;
  readonly reason: string;
} {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        data: { type: "string" },
        splits: { type: "string", default: String(SPLIT_SEEDS.length) },
        json: { type: "boolean", default: false },
        svg: { type: "string" },
      },
    }));
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  const splits = Number(values.splits);
  if (!Number.isInteger(splits) || splits < 1 || splits > SPLIT_SEEDS.length) {
    return { ok: false, reason: `--splits must be 1 to ${SPLIT_SEEDS.length}` };
  }
  return { ok: true, options: { data: values.data, splits, json: values.json, svg: values.svg } };
}

/** Evaluates sets over the first splits. `progress` receives a line for each step. */
export function evaluate(
  sets: readonly QuestionSet[],
  splits: number,
  progress: (line: string) => void,
): EvalReport {
  const seeds = SPLIT_SEEDS.slice(0, splits);
  const fits = new Map<QuestionSet, SetFit>();
  if (sets.length > 1) {
    for (const set of sets) {
      fits.set(set, fitSet(set));
      progress(`${set.name}: constants of the difficulty fitted`);
    }
  }
  const reports = sets.map((set) => {
    const bench = benchOf(set);
    const others = [...fits].filter(([other]) => other !== set).map(([, fit]) => fit);
    const leftOut = others.length === 0 ? undefined : benchWith(bench, constantsOf(others));
    return evaluateSet(bench, seeds, { leftOut, progress });
  });
  const pools = pooled(sets);
  return {
    seeds,
    sets: reports,
    pooled: pools.map((set) => evaluateSet(benchOf(set), seeds, { ways: ["trained"], progress })),
    feedback: [...sets, ...pools].map((set) => evaluateFeedback(set, seeds, { progress })),
  };
}

/** Returns the lines of the whole report. */
export function reportLines(report: EvalReport): string[] {
  const { slope, code, mathematics, reasoning } = DIFFICULTY_CONSTANTS;
  return [
    `Means over ${report.seeds.length} splits into halves, seeds ${report.seeds.join(" ")}; ` +
    `95 % intervals of ${BOOTSTRAP_DRAWS} bootstrap draws of the questions, seed ${BOOTSTRAP_SEED}. ` +
    "Positions of the dial are chosen on the training half; cost is beside the best single model's.",
    `The constants of the difficulty (slope ${slope}, letters instead of bytes, code ${code}, ` +
    `mathematics ${mathematics}, reasoning ${reasoning}) were chosen on zeroeval, routellm_mmlu and ` +
    'routellm_gsm8k together. The rows "fitted without this set" have constants that are fitted ' +
    "to the other sets in this run. The weights of records and the square root of a request's size " +
    "were chosen on the same three sets.",
    ...report.sets.flatMap(setLines),
    ...report.sets.flatMap((set) => ["", textPlotOf(plotOf(set))]),
    ...report.pooled.flatMap(setLines),
    ...feedbackLines(report.feedback, VOTES),
    "",
    `Untrained: measured rates and prices of requests, no outcomes. Trained: the outcomes of all ` +
    `models in the training half, one task for each category. Audits: ${AUDITS} requests of the ` +
    "training half, equality of answers instead of labels.",
  ];
}

/** Receives the lines of a run: the report, and what accompanies it. */
export interface EvalOutput {
  log(line: string): void;
  error(line: string): void;
}

/**
 * Runs the evaluation; returns the exit code.
 *
 * @default output {the console}
 */
export async function main(
  args: readonly string[],
  output: EvalOutput = console,
): Promise<number> {
  const parsed = parseOptions(args);
  if (!parsed.ok) {
    output.error(parsed.reason);
    return 2;
  }
  const { data, splits, json, svg } = parsed.options;
  const files = data === undefined ? [] : await filesIn(data);
  if (files.length === 0) {
    output.log(
      data === undefined
        ? "skipped: --data DIR names no folder with public routing data"
        : `skipped: ${data} holds no file *.jsonl.gz`,
    );
    return 0;
  }
  const sets: QuestionSet[] = [];
  try {
    for (const file of files) {
      const set = await readSet(file);
      sets.push(limitSet(set, orderOf(set.questions.length, 0), QUESTIONS_MAX));
    }
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    output.error(error.message);
    return 1;
  }
  const report = evaluate(sets, splits, (line) => output.error(line));
  if (svg !== undefined) await Deno.writeTextFile(svg, svgOf(report.sets.map(plotOf)));
  output.log(json ? JSON.stringify(jsonOf(report), null, 2) : reportLines(report).join("\n"));
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
