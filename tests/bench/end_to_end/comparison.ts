/**
 * Compares the replay through the gateway with the one without it.
 *
 * @module
 */

import { bootstrapDraws, type Interval, intervalOf } from "../public_eval/random.ts";
import { bestModel, type ReplayedRequest, type ReplayPlan } from "./replay_plan.ts";

/** Requests of one window. */
export const WINDOW = 100;

/** Figures of a window of requests. */
export interface Point {
  /** Cost beside always calling the best single model. */
  readonly share: number;
  readonly quality: number;
}

/** A figure of the gateway beside the interval of the evaluation without it. */
export interface Compared {
  readonly gateway: number;
  readonly offline: Interval;
  /** True when the gateway's figure lies within the interval. */
  readonly isWithin: boolean;
}

/** The comparison of one replay. */
export interface Comparison {
  /** Figures of the second half of the requests, in which most is learned. */
  readonly share: Compared;
  readonly quality: Compared;
  /** Share of the requests that both sent to the same model. */
  readonly equalModels: number;
  /** Requests before the first that they sent to different models. */
  readonly equalFrom: number;
  /** Windows of the gateway, and of the evaluation without it. */
  readonly gateway: readonly Point[];
  readonly offline: readonly Point[];
  /** Quality of always calling the best and the cheapest single model, in the second half. */
  readonly best: Point;
  readonly cheapest: Point;
}

/**
 * Compares a replay with an evaluation without the gateway. Intervals are those of the evaluation
 * over its requests.
 */
export function compare(
  plan: ReplayPlan,
  results: readonly ReplayedRequest[],
  evaluated: readonly ReplayedRequest[],
): Comparison {
  const best = bestModel(plan);
  const costs = plan.order.map((at) => plan.set.questions[at]?.c[best] ?? 0);
  const half = Math.floor(results.length / 2);
  const late = Array.from({ length: results.length - half }, (_, at) => half + at);
  const pointOf = (all: readonly ReplayedRequest[], positions: readonly number[]): Point => ({
    share: sumOf(all, positions, ({ cost }) => cost) / sumOf(costs, positions, (cost) => cost),
    quality: sumOf(all, positions, ({ quality }) => quality) / positions.length,
  });
  const windows = (all: readonly ReplayedRequest[]) =>
    Array.from(
      { length: Math.floor(all.length / WINDOW) },
      (_, window) => pointOf(all, Array.from({ length: WINDOW }, (_, at) => window * WINDOW + at)),
    );
  const value = pointOf(evaluated, late);
  const resampled = bootstrapDraws(late.length).map((times) =>
    pointOf(evaluated, late.flatMap((position, at) => Array<number>(times[at] ?? 0).fill(position)))
  );
  const gateway = pointOf(results, late);
  const compared = (figure: keyof Point): Compared => {
    const offline = intervalOf(value[figure], resampled.map((point) => point[figure]));
    const isWithin = offline.low <= gateway[figure] && gateway[figure] <= offline.high;
    return { gateway: gateway[figure], offline, isWithin };
  };
  const single = (model: number) =>
    pointOf(
      plan.order.map((at) => {
        const question = plan.set.questions[at];
        return { model, cost: question?.c[model] ?? 0, quality: question?.y[model] ?? 0 };
      }),
      late,
    );
  const different = results.findIndex(({ model }, at) => model !== evaluated[at]?.model);
  const equal = results.filter(({ model }, at) => model === evaluated[at]?.model).length;
  return {
    share: compared("share"),
    quality: compared("quality"),
    equalModels: equal / results.length,
    equalFrom: different < 0 ? results.length : different,
    gateway: windows(results),
    offline: windows(evaluated),
    best: single(best),
    cheapest: single(plan.prices.indexOf(Math.min(...plan.prices))),
  };
}

function sumOf<T>(
  values: readonly T[],
  positions: readonly number[],
  of: (value: T) => number,
): number {
  let sum = 0;
  for (const at of positions) {
    const value = values[at];
    if (value !== undefined) sum += of(value);
  }
  return sum;
}
