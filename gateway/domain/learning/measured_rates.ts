/**
 * Exchange rates at which a wallet's own traffic meets the target shares of cost.
 *
 * @module
 */

import type { Steps } from "../redaction/steps.ts";
import { MEASURED_DIALS, targetShare } from "../routing/dial.ts";
import { sizeFactor, type TypicalPrice } from "../routing/value.ts";
import { estimatesOf, type Evidence } from "./estimate.ts";
import type { OutcomeSource, RouteSample, WalletStatistics } from "./statistics.ts";

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
 * Returns the rates at {@linkcode MEASURED_DIALS}, or `undefined` for fewer than
 * {@linkcode SAMPLES_MIN} samples, one rate a step. At each rate, the samples' total price is the target share of
 * their price at the best models, as near as the choices allow.
 */
export function* measuredRateSteps(
  { tasks, samples }: Pick<WalletStatistics, "tasks" | "samples">,
  totals: Evidence["wallet"],
  { qualityOf, sources }: {
    qualityOf(model: string): number | undefined;
    readonly sources: readonly OutcomeSource[];
  },
): Steps<readonly number[] | undefined> {
  if (samples.length < SAMPLES_MIN) return undefined;
  const typical = typicalPriceOf(samples);
  const choices = samples.map(({ task, load, price, spent = price, options }): Choice => {
    const models = options.map(([id]) => ({ id, quality: qualityOf(id) ?? 0 }));
    const evidence = { wallet: totals, task: tasks[task], sources };
    const factor = sizeFactor(price, typical);
    const p = estimatesOf(models, load, evidence).map((estimate) => estimate.p);
    return {
      p,
      cost: options.map(([, share]) => share * factor),
      price: options.map(([, share]) => share * spent),
      best: p.indexOf(Math.max(...p)),
    };
  });
  const rates: number[] = [];
  for (const dial of MEASURED_DIALS) {
    yield;
    rates.push(rateFor(choices, targetShare(dial)));
  }
  return rates;
}

/** Maximum growth of the real price with the expected one. */
const GROWTH_MAX = 16;

/**
 * Returns the mean expected price of samples, and the growth of the real price with it: the slope of
 * a regression through the means, where one sample's weight stands for a growth of 1. `undefined`
 * without samples.
 */
export function typicalPriceOf(samples: readonly RouteSample[]): TypicalPrice | undefined {
  const count = samples.length;
  if (count === 0) return undefined;
  const mean = samples.reduce((sum, { price }) => sum + price, 0) / count;
  const spent = samples.reduce((sum, { price, spent = price }) => sum + spent, 0) / count;
  if (mean <= 0 || spent <= 0) return { mean, growth: 1 };
  let [products, squares] = [1, 1];
  for (const sample of samples) {
    const expected = sample.price / mean - 1;
    products += expected * ((sample.spent ?? sample.price) / spent - 1);
    squares += expected * expected;
  }
  return { mean, growth: Math.min(GROWTH_MAX, Math.max(0, products / squares)) };
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
