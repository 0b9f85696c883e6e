/**
 * Exchange rates at which a wallet's own traffic meets the target shares of cost.
 *
 * @module
 */

import type { Steps } from "../redaction/steps.ts";
import { MEASURED_DIALS, targetShare } from "../routing/dial.ts";
import { sizeFactor } from "../routing/value.ts";
import { estimatesOf, type Evidence } from "./estimate.ts";
import { ALL_TASKS, isProven, type LadderPlan, ladderProbability } from "./ladder_plans.ts";
import type { OutcomeSource, WalletStatistics } from "./statistics.ts";
import { priceRatio, typicalPriceOf } from "./typical_price.ts";

/** Minimum samples that a measured rate rests on. */
export const SAMPLES_MIN = 24;

const STEPS = 24;
const LOWEST = 1e-4;
const HIGHEST = 100;

/** A sampled decision with the present estimates: the choice is the highest `p - rate * cost`. */
interface Choice {
  readonly p: readonly number[];
  /** Price beside the best model's, weighted by the size of the request. */
  readonly cost: readonly number[];
  /** Price in credits. */
  readonly price: readonly number[];
  readonly best: number;
}

/**
 * Computes the rates at {@linkcode MEASURED_DIALS}, one a step; `undefined` for fewer than
 * {@linkcode SAMPLES_MIN} samples. At each rate, the samples' total price is the target share of
 * their price at the best models, as near as the choices allow.
 */
export function* measuredRateSteps(
  { tasks, samples }: Pick<WalletStatistics, "tasks" | "samples">,
  totals: Evidence["wallet"],
  { qualityOf, sources, plans }: {
    qualityOf(model: string): number | undefined;
    readonly sources: readonly OutcomeSource[];
    /** Plans of verified answers. */
    readonly plans: Readonly<Record<string, readonly LadderPlan[]>>;
  },
): Steps<readonly number[] | undefined> {
  if (samples.length < SAMPLES_MIN) return undefined;
  const typical = typicalPriceOf(samples, tasks);
  const choices = samples.map((sample): Choice => {
    const { task, load, price, spent = price, options } = sample;
    const models = options.map(([id]) => ({ id, quality: qualityOf(id) ?? 0 }));
    const evidence = { wallet: totals, task: tasks[task], sources };
    const factor = sizeFactor(price, typical, priceRatio(tasks[task], typical));
    const p = estimatesOf(models, load, evidence).map((estimate) => estimate.p);
    const best = p.indexOf(Math.max(...p));
    const shares = options.map(([, share]) => share);
    const known = sample.isVerifiable === true ? plans[task] ?? plans[ALL_TASKS] ?? [] : [];
    for (const plan of known.filter(isProven)) {
      const better = options.findIndex(([id]) => id === plan.better);
      p.push(ladderProbability(plan, { better: p[better] ?? 0, load }));
      shares.push(plan.cost * (shares[better] ?? 1));
    }
    return {
      p,
      cost: shares.map((share) => share * factor),
      price: shares.map((share) => share * spent),
      best,
    };
  });
  const rates: number[] = [];
  for (const dial of MEASURED_DIALS) {
    yield;
    rates.push(rateFor(choices, targetShare(dial)));
  }
  return rates;
}

function rateFor(choices: readonly Choice[], share: number): number {
  let [low, high] = [Math.log(LOWEST), Math.log(HIGHEST)];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (shareAt(choices, Math.exp(middle)) > share) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

/** Returns the share of the cost of always-best that the choices at a rate cost. */
function shareAt(choices: readonly Choice[], rate: number): number {
  let [spent, best] = [0, 0];
  for (const choice of choices) {
    let at = 0;
    let highest = -Infinity;
    for (let index = 0; index < choice.p.length; index++) {
      const value = (choice.p[index] ?? 0) - rate * (choice.cost[index] ?? 0);
      if (value > highest) [at, highest] = [index, value];
    }
    spent += choice.price[at] ?? 0;
    best += choice.price[choice.best] ?? 0;
  }
  return best === 0 ? 0 : spent / best;
}
