/**
 * Exchange rates at which a wallet's own traffic meets the target shares of cost.
 *
 * @module
 */

import { MEASURED_DIALS, targetShare } from "../routing/dial.ts";
import type { Evidence } from "./estimate.ts";
import {
  type EstimateContext,
  highest,
  type RecordedChoice,
  recordedChoices,
} from "./recorded_choices.ts";
import type { WalletStatistics } from "./statistics.ts";

/** Minimum samples that a measured rate rests on. */
export const SAMPLES_MIN = 24;

const STEPS = 24;
const LOWEST = 1e-4;
const HIGHEST = 100;

/**
 * Returns the rates at {@linkcode MEASURED_DIALS}, or `undefined` for fewer than
 * {@linkcode SAMPLES_MIN} samples. At each rate, the samples' total price is the target share of
 * their price at the best models, as near as the choices allow.
 */
export function measuredRates(
  statistics: Pick<WalletStatistics, "tasks" | "samples">,
  totals: Evidence["wallet"],
  context: EstimateContext,
): readonly number[] | undefined {
  const choices = recordedChoices(statistics, totals, context);
  if (choices.length < SAMPLES_MIN) return undefined;
  return MEASURED_DIALS.map((dial) => rateFor(choices, targetShare(dial)));
}

function rateFor(choices: readonly RecordedChoice[], share: number): number {
  let [low, high] = [Math.log(LOWEST), Math.log(HIGHEST)];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (shareAt(choices, Math.exp(middle)) > share) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}

/** Returns the share of the cost of always-best that the choices at a rate cost. */
function shareAt(choices: readonly RecordedChoice[], rate: number): number {
  let [spent, cost] = [0, 0];
  for (const { options, size, best } of choices) {
    const chosen = highest(options, ({ estimate, share }) => estimate.p - rate * size * share);
    spent += chosen?.price ?? 0;
    cost += best.price;
  }
  return cost === 0 ? 0 : spent / cost;
}
