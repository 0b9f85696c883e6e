/**
 * Real prices of a wallet's requests beside the expected ones: the usage of a request is known only
 * after it was served.
 *
 * @module
 */

import type { RouteSample, TaskStatistics, WalletStatistics } from "./statistics.ts";

/** Prices of a wallet's requests at their best allowed models. */
export interface TypicalPrice {
  /** Mean expected price, in credits. */
  readonly mean: number;
  /** Mean price by the usage that requests turned out to have, in credits. */
  readonly charged: number;
  /** Growth of the real price with the expected one, both beside their means: 1 where they agree. */
  readonly growth: number;
}

/** Maximum growth of the real price with the expected one. */
const GROWTH_MAX = 16;

/**
 * Returns the mean expected price of samples, and the growth of the real price with it: the slope of
 * a regression through the means, where one sample's weight stands for a growth of 1. `undefined`
 * without samples.
 */
export function typicalPriceOf(
  samples: readonly RouteSample[],
  tasks: WalletStatistics["tasks"],
): TypicalPrice | undefined {
  const count = samples.length;
  if (count === 0) return undefined;
  const mean = samples.reduce((sum, { price }) => sum + price, 0) / count;
  const spent = samples.reduce((sum, { price, spent = price }) => sum + spent, 0) / count;
  const charged = meanCharged(tasks);
  if (mean <= 0 || spent <= 0) return { mean, charged, growth: 1 };
  let [products, squares] = [1, 1];
  for (const sample of samples) {
    const expected = sample.price / mean - 1;
    products += expected * ((sample.spent ?? sample.price) / spent - 1);
    squares += expected * expected;
  }
  return { mean, charged, growth: Math.min(GROWTH_MAX, Math.max(0, products / squares)) };
}

function meanCharged(tasks: WalletStatistics["tasks"]): number {
  const all = Object.values(tasks);
  const served = all.reduce((sum, task) => sum + servedOf(task), 0);
  return all.reduce((sum, { bestCharged }) => sum + bestCharged, 0) / Math.max(1, served);
}

function servedOf({ models }: TaskStatistics): number {
  return Object.values(models).reduce((sum, { served }) => sum + served, 0);
}

/** Weight of the wallet's mean price in that of a task, in requests. */
const PRICE_WEIGHT = 10;
/** Outcomes of a task at which its price counts for half. */
const OUTCOMES_WEIGHT = 100;

/**
 * Returns the factor by which the real price of a task's requests beside the wallet's weighs their
 * price. It counts in proportion to the task's outcomes: where nothing is known about a task, its
 * dearer requests are assumed to gain as much more from the better model as they cost.
 */
export function priceRatio(
  task: TaskStatistics | undefined,
  typical: Pick<TypicalPrice, "charged"> | undefined,
): number {
  const charged = typical?.charged ?? 0;
  if (task === undefined || charged <= 0) return 1;
  const outcomes = Object.values(task.models).reduce((sum, { outcomes }) => sum + outcomes, 0);
  const served = servedOf(task);
  const ratio = (task.bestCharged / charged + PRICE_WEIGHT) / (served + PRICE_WEIGHT);
  return ratio ** (outcomes / (outcomes + OUTCOMES_WEIGHT));
}
