/**
 * The choice of a plan with verified answers.
 *
 * @module
 */

import { loadOf } from "../learning/estimate.ts";
import {
  ALL_TASKS,
  isProven,
  type LadderPlan,
  ladderProbability,
} from "../learning/ladder_plans.ts";
import type { Dial } from "./dial.ts";
import type { Candidate, Ladder, RoutingInput } from "./plan.ts";
import { valueOf } from "./value.ts";

/** Assumed share of answers that equal the better model's, for a pair without audits. */
const ASSUMED_QUALITY = 0.9;
/**
 * Returns the ladder for a request: the one with the highest value by its audited record, or a
 * default pair where there is none. `undefined` when answers are not to be verified, the request's
 * answers do not compare, fewer than three models can serve it, or (in the mode `auto`) when one
 * model alone has a higher value.
 */
export function ladderFor(
  candidates: readonly Candidate[],
  { input, dial, rate }: {
    readonly input: RoutingInput;
    readonly dial: Dial;
    /** Exchange rate that includes the size of the request. */
    readonly rate: number;
  },
): Ladder | undefined {
  const { policy, choice, features, snapshot, wallet, task } = input;
  const mode = policy.auto?.verify ?? "request";
  const isRequested = choice?.verify === true && mode !== "off";
  if (!isRequested && mode !== "auto" || features.comparable === undefined) return undefined;
  if (features.choices > 1 || features.hostedTools.length > 0) return undefined;
  const plans = snapshot?.wallets.get(wallet.id)?.plans ?? {};
  const known = (task === undefined ? undefined : plans[task]) ?? plans[ALL_TASKS] ?? [];
  const load = loadOf(features.difficulty);
  const byId = new Map(candidates.map((candidate) => [candidate.model.id, candidate]));
  let best: { readonly ladder: Ladder; readonly value: number } | undefined;
  for (const plan of known) {
    if (!isProven(plan) && !isRequested) continue;
    const ladder = ladderOf(plan, byId, load);
    const better = byId.get(plan.better);
    if (ladder === undefined || better === undefined) continue;
    const share = plan.cost * relativePrice(better, candidates);
    const value = valueOf({ p: ladder.p, share }, { dial, rate });
    if (best === undefined || value > best.value) best = { ladder, value };
  }
  if (isRequested) return best?.ladder ?? defaultLadder(candidates);
  const alone = candidates[0]?.score ?? Infinity;
  return best !== undefined && best.value > alone ? best.ladder : undefined;
}

/** True when the key verifies answers wherever that is worth it, and the request's compare. */
export function isVerifiable({ policy, features }: RoutingInput): boolean {
  return policy.auto?.verify === "auto" && features.comparable !== undefined &&
    features.choices === 1;
}

function ladderOf(
  plan: LadderPlan,
  byId: ReadonlyMap<string, Candidate>,
  load: number,
): Ladder | undefined {
  const better = byId.get(plan.better);
  const cheap = plan.cheap.map((id) => byId.get(id)).filter((candidate) => candidate !== undefined);
  if (better === undefined || cheap.length < plan.cheap.length) return undefined;
  const p = ladderProbability(plan, { better: better.ranking.estimate.p, load });
  return { cheap, better, p, audits: plan.audits };
}

/** Returns the price of a candidate beside that of the best one. */
function relativePrice(candidate: Candidate, candidates: readonly Candidate[]): number {
  const best = strongest(candidates);
  return best === undefined || best.ranking.price <= 0
    ? 1
    : candidate.ranking.price / best.ranking.price;
}

function strongest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, candidate) =>
      best === undefined || candidate.ranking.estimate.p > best.ranking.estimate.p
        ? candidate
        : best,
    undefined,
  );
}

/**
 * Returns the best model with the two models of the highest probability among those that cost at
 * most half as much, of different providers if possible.
 */
function defaultLadder(candidates: readonly Candidate[]): Ladder | undefined {
  const better = strongest(candidates);
  if (better === undefined) return undefined;
  const cheap = candidates.filter((candidate) =>
    candidate !== better && candidate.ranking.price <= better.ranking.price / 2
  ).toSorted((one, other) =>
    other.ranking.estimate.p - one.ranking.estimate.p || one.ranking.price - other.ranking.price
  );
  const [first] = cheap;
  const second = cheap.find(({ upstream }) => upstream.provider !== first?.upstream.provider) ??
    cheap[1];
  if (first === undefined || second === undefined) return undefined;
  const p = better.ranking.estimate.p * ASSUMED_QUALITY;
  return { cheap: [first, second], better, p, audits: 0 };
}
