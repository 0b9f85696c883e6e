/**
 * The price of a typical request of a wallet.
 *
 * @module
 */

import type { TypicalPrice } from "../routing/value.ts";
import type { RouteSample } from "./statistics.ts";

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
