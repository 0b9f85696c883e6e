/**
 * Replays public questions through a whole gateway whose upstream gives the recorded answers, and
 * compares what it learns with an evaluation of the same policy without it. Exits 1 where the
 * gateway's figures lie outside of the interval of that evaluation.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { filesIn, readSet } from "../public_eval/data.ts";
import { compare, type Compared, type Comparison } from "./comparison.ts";
import { plotOf } from "./plot.ts";
import { replayThroughGateway } from "./gateway_replay.ts";
import { decisionSeeds, replayOffline } from "./offline_replay.ts";
import { replayPlan } from "./replay_plan.ts";

/** Requests of a replay. */
const REQUESTS = 2_000;
/** Requests between two snapshots. */
const SNAPSHOT_EVERY = 50;
/** Seeds of the evaluation's draws. */
const DRAWS = Array.from({ length: 20 }, (_, at) => at + 1);
/** Seed of the order of the questions. */
const ORDER_SEED = 1;

const USAGE =
  "Usage: deno task eval:end-to-end --data DIR [--set NAME] [--requests N] [--plot FILE]";

function report(name: string, comparison: Comparison, paired: Comparison): string {
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  const line = (figure: string, { gateway, offline, isWithin }: Compared) =>
    `  ${figure}: gateway ${percent(gateway)}, without it ${percent(offline.value)} ` +
    `(${percent(offline.low)} to ${percent(offline.high)}): ${isWithin ? "within" : "OUTSIDE"}`;
  return [
    `${name}: second half of the requests`,
    line("cost beside always-best", comparison.share),
    line("quality", comparison.quality),
    `  always-best: quality ${percent(comparison.best.quality)}; always-cheapest: ` +
    `${percent(comparison.cheapest.quality)} at ${percent(comparison.cheapest.share)} of the cost`,
    `  with the gateway's own seeds, ${percent(paired.equalModels)} of the decisions are equal`,
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
    progress: (requests) => console.error(`${requests} requests`),
  });
  const { catalog, results, seeds } = replay;
  const draws = DRAWS.map((seed) =>
    replayOffline(plan, { catalog, seeds: decisionSeeds(plan, seed) })
  );
  const comparison = compare(plan, results, draws);
  const paired = compare(plan, results, [replayOffline(plan, { catalog, seeds })]);
  console.log(report(`${values.set}, ${results.length} requests`, comparison, paired));
  if (values.plot !== undefined) {
    await Deno.writeTextFile(values.plot, plotOf(`${values.set}: learned from votes`, comparison));
    console.log(`  plot: ${values.plot}`);
  }
  return comparison.share.isWithin && comparison.quality.isWithin ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
