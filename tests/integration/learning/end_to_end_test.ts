/**
 * A gateway that learns from votes which model is good enough for which task, beside the same policy
 * evaluated without a gateway.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { estimatesOf } from "../../../gateway/domain/learning/estimate.ts";
import { OUTCOME_SOURCES } from "../../../gateway/domain/learning/statistics.ts";
import type { QuestionSet } from "../../bench/public_eval/data.ts";
import { randomOf } from "../../bench/public_eval/random.ts";
import { compare } from "../../bench/end_to_end/comparison.ts";
import { replayThroughGateway } from "../../bench/end_to_end/gateway_replay.ts";
import { replayOffline } from "../../bench/end_to_end/offline_replay.ts";
import { replayPlan } from "../../bench/end_to_end/replay_plan.ts";

/** Shares of right answers of the models, from the cheapest, by category. */
const RIGHT: Readonly<Record<string, readonly number[]>> = {
  // The catalog says little: the cheap model is as good as the best one here, ...
  easy: [0.97, 0.97, 0.98],
  // ... and nearly always wrong here.
  hard: [0.05, 0.5, 0.95],
};
const COSTS = [20, 120, 600];

/** Returns questions of two categories, with the outcomes of three models. */
function synthetic(count: number, seed: number): QuestionSet {
  const random = randomOf(seed);
  const questions = Array.from({ length: count }, (_, at) => {
    const cat = at % 2 === 0 ? "easy" : "hard";
    const y = (RIGHT[cat] ?? []).map((share) => random() < share ? 1 : 0);
    const words = Array.from({ length: 10 + Math.floor(random() * 40) }, () => "word");
    return {
      ...{ q: `Question ${at}: ${words.join(" ")}?`, cat, y },
      c: COSTS.map((cost) => cost * (0.5 + random())),
      a: y.map((right, model) => right === 1 ? "right" : `wrong ${model}`),
    };
  });
  return {
    name: "synthetic",
    models: ["small", "middle", "large"],
    quality: [0.8, 0.85, 0.9],
    questions,
  };
}

Deno.test("400 requests with votes: the gateway decides and learns as the evaluation without it", async () => {
  const plan = replayPlan(synthetic(400, 3), { requests: 400, snapshotEvery: 40, seed: 1 });
  const { results, seeds, catalog, charged, snapshot, wallet } = await replayThroughGateway(plan);
  assertEquals(snapshot.number, 10, "a snapshot after every 40 requests");
  const spent = results.reduce((sum, { cost }) => sum + cost, 0) / 1_000;
  assert(Math.abs(charged / spent - 1) < 0.02, `charged ${charged}, the answers cost ${spent}`);

  // With the gateway's own seeds the evaluation makes its decisions, but for the rounding of tokens.
  const paired = replayOffline(plan, { catalog, seeds });
  const { share, quality, equalModels } = compare(plan, results, paired);
  assert(equalModels >= 0.95, `${equalModels} of the decisions are equal`);
  for (const [name, compared] of Object.entries({ share, quality })) {
    assert(compared.isWithin, `${name}: ${JSON.stringify(compared)}`);
  }

  // The catalog rates the small model nearly as high as the large one; the votes differ by task.
  const known = snapshot.wallets.get(wallet);
  const small = Object.values(known?.statistics.tasks ?? {}).map((task) => {
    const evidence = { wallet: known?.totals ?? {}, task, sources: OUTCOME_SOURCES };
    return estimatesOf([{ id: "m0", quality: 0.8 }], 1, evidence)[0]?.p ?? NaN;
  });
  assertEquals(small.length, 2, "the two categories are two tasks");
  const [hard, easy] = [Math.min(...small), Math.max(...small)];
  assert(easy > hard + 0.05, `${easy} > ${hard}`);
});
