/**
 * The best model as far as is known: its price is the measure of all others'.
 *
 * @module
 */

import type { Estimate } from "./estimate.ts";

/** A model with its estimate. */
export interface Comparable extends Estimate {
  /** Quality by the catalog. */
  readonly quality: number;
  readonly price: number;
}

/** Outcomes at the task from which on a model's record counts. */
const RECORD_MIN = 10;

/**
 * Returns the best model as far as is known: the one with the highest quality by the catalog, unless
 * a model with a record has a probability that is higher by more than the standard error of their
 * difference. A dear model that is only assumed to be a little better is therefore no measure of
 * cost. Of equal models, the cheapest. `undefined` without models.
 */
export function bestKnownOf<T extends Comparable>(models: readonly T[]): T | undefined {
  const stated = highest(models, ({ quality }) => quality);
  const recorded = highest(models, ({ p, outcomes }) => outcomes < RECORD_MIN ? -1 : p);
  if (stated === undefined || recorded === undefined || recorded.outcomes < RECORD_MIN) {
    return stated;
  }
  return recorded.p - stated.p > Math.hypot(recorded.error, stated.error) ? recorded : stated;
}

/** Returns the item with the highest value, the cheapest of equals; `undefined` of none. */
export function highest<T extends { readonly price: number }>(
  items: readonly T[],
  valueOf: (item: T) => number,
): T | undefined {
  let best: T | undefined;
  let bestValue = -Infinity;
  for (const item of items) {
    const value = valueOf(item);
    if (
      best === undefined || value > bestValue || (value === bestValue && item.price < best.price)
    ) {
      [best, bestValue] = [item, value];
    }
  }
  return best;
}
