/**
 * Replays public questions through a whole gateway whose upstream gives the recorded answers, and
 * compares what it learns with an evaluation of the same policy without it, which has the same seeds.
 * Exits 1 where the gateway's figures lie outside of the interval of that evaluation.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { filesIn, readSet } from "../public_eval/data.ts";
import { compare, type Comparison } from "./comparison.ts";
import { plotOf } from "./plot.ts";
import { replayThroughGateway } from "./gateway_replay.ts";
import { decisionSeeds, replayOffline } from "./offline_replay.ts";
import { replayPlan } from "./replay_plan.ts";

/** Requests of a replay. */
const REQUESTS = 2_000;
/** Requests between two snapshots. */
const SNAPSHOT_EVERY = 50;
/** Seeds of further evaluations: votes exist only on answers that were given, so they differ. */
const DRAWS = Array.from({ length: 20 }, (_, at) => at + 1);
/** Seed of the order of the questions. */
const ORDER_SEED = 1;

const USAGE = "Usage: deno task eval:gateway --data DIR [--set NAME] [--requests N] [--plot FILE]";

/** Returns the range of a figure over the draws, in the second half of the requests. */
function rangeOf(draws: readonly Comparison[], figure: "share" | "quality"): string {
  const values = draws.map((draw) => draw[figure].gateway);
  return `${percent(Math.min(...values))} to ${percent(Math.max(...values))}`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

function report(name: string, paired: Comparison, draws: readonly Comparison[]): string {
  const line = (text: string, figure: "share" | "quality") => {
    const { gateway, offline, isWithin } = paired[figure];
    return `  ${text}: gateway ${percent(gateway)}, without it ${percent(offline.value)} ` +
      `(${percent(offline.low)} to ${percent(offline.high)}): ${
        isWithin ? "within" : "OUTSIDE"
      }; ` +
      `${draws.length} other draws: ${rangeOf(draws, figure)}`;
  };
  return [
    `${name}: second half of the requests`,
    line("cost beside always-best", "share"),
    line("quality", "quality"),
    `  always-best: quality ${percent(paired.best.quality)}; always-cheapest: ` +
    `${percent(paired.cheapest.quality)} at ${percent(paired.cheapest.share)} of the cost`,
    `  ${percent(paired.equalModels)} of the decisions are equal; all of the first ` +
    `${paired.equalFrom}`,
  ].join("\n");
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      set: { type: "string", default: "zeroeval" },
      requests: { type: "string", default: String(REQUESTS) },
      plot: { type: "string" },
    },
  });
  const files = values.data === undefined ? [] : await filesIn(values.data);
  const file = files.find((path) => path.endsWith(`/${values.set}.jsonl.gz`));
  if (file === undefined) {
    console.log(`SKIPPED: there is no set "${values.set}"\n${USAGE}`);
    return 0;
  }
  const options = { snapshotEvery: SNAPSHOT_EVERY, seed: ORDER_SEED };
  const plan = replayPlan(await readSet(file), { ...options, requests: Number(values.requests) });
  const replay = await replayThroughGateway(plan, {
    described: false,
    // The answers are hashes, which no check of an answer can judge.
    auto: { sources: ["feedback"] },
    progress: (requests) => console.error(`${requests} requests`),
  });
  const { catalog, results, seeds } = replay;
  const paired = compare(plan, results, replayOffline(plan, { catalog, seeds }));
  const draws = DRAWS.map((seed) => {
    const draw = replayOffline(plan, { catalog, seeds: decisionSeeds(plan, seed) });
    return compare(plan, draw, draw);
  });
  console.log(report(`${values.set}, ${results.length} requests`, paired, draws));
  if (values.plot !== undefined) {
    await Deno.writeTextFile(values.plot, plotOf(`${values.set}: learned from votes`, paired));
    console.log(`  plot: ${values.plot}`);
  }
  return paired.share.isWithin && paired.quality.isWithin ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
