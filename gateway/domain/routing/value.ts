/**
 * The value of a model for a request:
 *
 * ```text
 * value = p - rate * size * price / price of the best allowed model - 0.005 * (1 - dial) * latency
 * size    = task * sqrt(1 + growth * (price of the best allowed model / its mean in the wallet - 1))
 * latency = ms / (ms + 2000); 1000 ms are assumed without observations
 * ```
 *
 * `p` is the estimated probability of a good answer (`learning/estimate.ts`) and `rate` the exchange
 * rate of the dial (`dial.ts`). `task` weighs the real price of the task's requests and `growth` the
 * growth of real prices with expected ones (`learning/typical_price.ts`); `size` is 1/4 to 4. The value is linear in price, so that at the position `best`, whose
 * rate is 0, the best model has the highest value. A request that is larger than the wallet's mean
 * costs more of a budget, and its price counts by the square root of that. The price term is absent
 * where all allowed models are free. At `economy`, where the rate is infinite, the cheapest model
 * that is good enough is the best: see {@linkcode isGoodEnough}.
 *
 * @module
 */

import type { Estimate } from "../learning/estimate.ts";
import type { TypicalPrice } from "../learning/typical_price.ts";
import type { Dial } from "./dial.ts";

/**
 * Returns the factor by which the size of a request weighs its price.
 *
 * @default taskRatio {the task's prices are those of the wallet}
 */
export function sizeFactor(
  price: number,
  typical: TypicalPrice | undefined,
  taskRatio = 1,
): number {
  if (typical === undefined || typical.mean <= 0 || price <= 0) return 1;
  const size = 1 + typical.growth * (price / typical.mean - 1);
  return Math.min(4, Math.max(1 / 4, taskRatio * Math.sqrt(Math.max(1 / 16, size))));
}

const LATENCY_WEIGHT = 0.005;
const ASSUMED_LATENCY_MS = 1_000;
const HALF_LATENCY_MS = 2_000;

/** Input of a value. */
export interface ValueInput {
  readonly p: number;
  /** Expected price beside that of the best allowed model: 0 where all are free. */
  readonly share: number;
  /** Observed time to first byte in milliseconds. */
  readonly latencyMs?: number | undefined;
}

/**
 * Returns the value of a model at a position of the dial. `rate` includes the size of the request; at
 * `economy`, where it is infinite, the value is the price alone.
 */
export function valueOf(
  { p, share, latencyMs }: ValueInput,
  { dial, rate }: { readonly dial: Dial; readonly rate: number },
): number {
  if (rate === Infinity) return 1e-6 * p - share;
  const ms = latencyMs ?? ASSUMED_LATENCY_MS;
  const latency = ms / (ms + HALF_LATENCY_MS);
  return p - rate * share - LATENCY_WEIGHT * (1 - dial) * latency;
}

/** Outcomes from which on a record can say that a model is not good enough. */
const RECORD_MIN = 10;
/** Minimum probability beside the best model's. */
const GOOD_ENOUGH = 0.75;

/** Value of a model that is not good enough at `economy`: below all others. */
export const NOT_GOOD_ENOUGH = -1_000_000;

/**
 * True unless the model's record says that its answers are too often not good: after 10 outcomes at
 * the task, when its probability is below three quarters of the best model's.
 */
export function isGoodEnough({ p, outcomes }: Estimate, bestP: number): boolean {
  return outcomes < RECORD_MIN || p >= GOOD_ENOUGH * bestP;
}

/** Returns the expected output tokens of an unlimited answer. */
export function expectedOutputTokens(difficulty: number): number {
  return 300 + 1_200 * difficulty;
}

/** Maximum difference of values at which a conversation stays with its model. */
export function stickyMargin(dial: Dial): number {
  return 0.05 * (1 - dial);
}

/** A candidate with its value. */
export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/**
 * Orders candidates, best first. Equal values are ordered by id, beginning at one that the seed
 * selects; the sticky model comes first while it is within the margin of the best.
 */
export function rank<T extends Ranked>(
  items: readonly T[],
  options: {
    readonly seed: number;
    readonly sticky?: string | undefined;
    readonly margin: number;
  },
): T[] {
  const ranked = items.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  for (let start = 0; start < ranked.length;) {
    let end = start + 1;
    while (end < ranked.length && ranked[end]?.score === ranked[start]?.score) end++;
    const equals = end - start;
    if (equals > 1) {
      const first = start + Math.floor(options.seed * equals);
      ranked.splice(start, equals, ...ranked.slice(first, end), ...ranked.slice(start, first));
    }
    start = end;
  }
  const at = ranked.findIndex((item) => item.id === options.sticky);
  const [best, sticky] = [ranked[0], ranked[at]];
  if (best === undefined || sticky === undefined || at === 0) return ranked;
  if (sticky.score < best.score - options.margin) return ranked;
  return [sticky, ...ranked.slice(0, at), ...ranked.slice(at + 1)];
}
