/**
 * The same replay without a gateway: the real features, the real routing and the real snapshots.
 *
 * @module
 */

import type { Catalog } from "../../../gateway/domain/catalog/catalog.ts";
import { Additions } from "../../../gateway/domain/learning/additions.ts";
import { loadOf } from "../../../gateway/domain/learning/estimate.ts";
import {
  EMPTY_SNAPSHOT,
  nextSnapshot,
  type RoutingSnapshot,
} from "../../../gateway/domain/learning/snapshot.ts";
import { chargeOf } from "../../../gateway/domain/ledger/pricing.ts";
import type { KeyPolicy } from "../../../gateway/domain/policy/policy.ts";
import { chatFeatures } from "../../../gateway/domain/requests/features.ts";
import { sourcesOf } from "../../../gateway/domain/routing/auto.ts";
import type { TargetState } from "../../../gateway/domain/routing/plan.ts";
import { route } from "../../../gateway/domain/routing/route.ts";
import { NOW_MS, WALLET } from "../public_eval/catalog.ts";
import { randomOf } from "../public_eval/random.ts";
import { type ReplayedRequest, type ReplayPlan, requestOf, TIER, usageOf } from "./replay_plan.ts";

const MICROS_PER_CREDIT = 1_000_000;

/** Returns seeds for the decisions of a plan. */
export function decisionSeeds({ order }: ReplayPlan, seed: number): number[] {
  return order.map(randomOf(seed));
}

/** Returns the results of all requests of a plan. */
export function replayOffline(
  plan: ReplayPlan,
  { catalog, policy = {}, seeds }: {
    readonly catalog: Catalog;
    readonly policy?: KeyPolicy;
    /** Seeds of the decisions. */
    readonly seeds: readonly number[];
  },
): ReplayedRequest[] {
  const results: ReplayedRequest[] = [];
  let snapshot = EMPTY_SNAPSHOT;
  let additions = new Additions();
  // The gateway's clock stands still during a request, so that no latency is observed.
  const pool = new Map<string, TargetState>();
  for (const [index, at] of plan.order.entries()) {
    const seed = seeds[index] ?? 0;
    results.push(serve(plan, at, { catalog, policy, snapshot, additions, pool, seed }));
    if ((index + 1) % plan.snapshotEvery !== 0) continue;
    snapshot = nextSnapshot(snapshot, additions.byWallet(), contextOf(catalog));
    additions = new Additions();
  }
  return results;
}

/** Routes a request, and notes it with the vote on its answer. */
function serve(
  { set, prices }: ReplayPlan,
  at: number,
  { catalog, policy, snapshot, additions, pool, seed }: {
    readonly catalog: Catalog;
    readonly policy: KeyPolicy;
    readonly snapshot: RoutingSnapshot;
    readonly additions: Additions;
    readonly pool: ReadonlyMap<string, TargetState>;
    readonly seed: number;
  },
): ReplayedRequest {
  const question = set.questions[at];
  if (question === undefined) throw new RangeError(`No question ${at}`);
  const features = chatFeatures(requestOf({ set }, question));
  const wallet = { ...WALLET, tier: TIER };
  const task = question.cat;
  const plan = route({
    ...{ catalog, features, policy, wallet, budget: {}, pool, snapshot, task, seed },
    nowMs: NOW_MS,
  });
  if (!plan.ok) throw new Error(`Routing refused question ${at}: ${plan.message}`);
  const [first] = plan.candidates;
  const id = first?.model.id ?? "";
  const model = set.models.indexOf(id);
  const [cost = 0, quality = 0] = [question.c[model], question.y[model]];
  const { sample } = plan.basis;
  if (first === undefined) throw new Error(`Routing found no model for question ${at}`);
  const usage = { ...usageOf({ prices }, question, model), cachedInputTokens: 0 };
  // The same prices and the same rounding as the gateway's: learning amplifies small differences.
  const charged = Number(chargeOf(usage, first.price)) / MICROS_PER_CREDIT;
  const bestFactor = (sample?.price ?? 0) / first.ranking.price;
  const note = { walletId: wallet.id, task, model: id, atMs: NOW_MS };
  additions.noteServed({
    ...{ ...note, charged, bestFactor, cheapestFactor: 1 },
    sample: sample === undefined ? undefined : { ...sample, spent: charged * bestFactor },
  });
  // A vote rests on the difficulty as the request's log row has it.
  const load = loadOf(Math.round(features.difficulty * 10_000) / 10_000);
  additions.noteOutcome({ ...note, source: "feedback", score: quality, weight: 1, load });
  return { model, cost, quality };
}

function contextOf(catalog: Catalog) {
  const qualities = new Map(catalog.models.map(({ id, quality }) => [id, quality]));
  const qualityOf = (model: string) => qualities.get(model);
  return { nowMs: NOW_MS, qualityOf, sources: sourcesOf(catalog.auto) };
}
