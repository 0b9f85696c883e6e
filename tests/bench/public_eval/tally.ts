/**
 * Sums of results by question over the splits, beside the baselines of the same questions.
 *
 * @module
 */

import type { QuestionSet } from "./data.ts";
import { type Interval, intervalOf } from "./random.ts";

/** A point of cost and quality. */
export interface Point {
  /** Mean micro-USD of a request. */
  readonly cost: number;
  /** Mean score, 0 to 1. */
  readonly quality: number;
}

/** Results of one way of choosing: sums over the tests of each question. */
export class Tally {
  readonly #quality: Float64Array;
  readonly #cost: Float64Array;
  readonly #tests: Float64Array;

  constructor(questions: number) {
    this.#quality = new Float64Array(questions);
    this.#cost = new Float64Array(questions);
    this.#tests = new Float64Array(questions);
  }

  /** Adds the result of a test; a weight below 1 is its part in a mix. */
  add(
    at: number,
    { quality, cost }: { readonly quality: number; readonly cost: number },
    weight = 1,
  ) {
    this.#quality[at] = (this.#quality[at] ?? 0) + weight * quality;
    this.#cost[at] = (this.#cost[at] ?? 0) + weight * cost;
    this.#tests[at] = (this.#tests[at] ?? 0) + weight;
  }

  /** Returns the sum with another tally of the same questions. */
  plus(other: Tally): Tally {
    const sum = new Tally(this.#tests.length);
    for (let at = 0; at < this.#tests.length; at++) {
      sum.#quality[at] = (this.#quality[at] ?? 0) + (other.#quality[at] ?? 0);
      sum.#cost[at] = (this.#cost[at] ?? 0) + (other.#cost[at] ?? 0);
      sum.#tests[at] = (this.#tests[at] ?? 0) + (other.#tests[at] ?? 0);
    }
    return sum;
  }

  /** Returns the means over all tests, where each question counts so often. */
  mean(times: ArrayLike<number> | undefined): Point {
    let [quality, cost, tests] = [0, 0, 0];
    for (let at = 0; at < this.#tests.length; at++) {
      const weight = times?.[at] ?? 1;
      quality += weight * (this.#quality[at] ?? 0);
      cost += weight * (this.#cost[at] ?? 0);
      tests += weight * (this.#tests[at] ?? 0);
    }
    return { quality: quality / Math.max(1e-9, tests), cost: cost / Math.max(1e-9, tests) };
  }
}

/**
 * Returns the quality of the best random mix at a cost: the upper hull of the single models.
 * A cost below all of them has the cheapest one's.
 */
export function mixAt(cost: number, models: readonly Point[]): number {
  const cheapest = models.reduce((one, other) => other.cost < one.cost ? other : one);
  let best = cheapest.quality;
  for (const one of models) {
    if (one.cost > cost) continue;
    best = Math.max(best, one.quality);
    for (const other of models) {
      if (other.cost <= cost) continue;
      const part = (cost - one.cost) / (other.cost - one.cost);
      best = Math.max(best, one.quality + (other.quality - one.quality) * part);
    }
  }
  return best;
}

/** Returns the lowest cost of a random mix with a quality; that of the best model if none has it. */
export function mixCostOf(quality: number, models: readonly Point[]): number {
  let least = Infinity;
  for (const one of models) {
    if (one.quality >= quality) least = Math.min(least, one.cost);
    for (const other of models) {
      if (one.quality >= quality || other.quality < quality) continue;
      const part = (quality - one.quality) / (other.quality - one.quality);
      least = Math.min(least, one.cost + part * (other.cost - one.cost));
    }
  }
  return least === Infinity ? Math.max(...models.map(({ cost }) => cost)) : least;
}

/** Figures of a way of choosing beside the baselines. */
export interface Figures {
  /** Mean score, 0 to 1. */
  readonly quality: Interval;
  /** Cost beside always-best. */
  readonly share: Interval;
  /** Quality less always-best's. */
  readonly loss: Interval;
  /** Quality less that of the best random mix at the same cost. */
  readonly gain: Interval;
}

/** The baselines of a set over the tests of its splits. */
export class Baselines {
  readonly #models: readonly Tally[];
  /** The best single model of each split's training half. */
  readonly best: Tally;
  readonly oracle: Tally;
  readonly #set: QuestionSet;
  readonly #draws: readonly Uint16Array[];
  #points: Map<Uint16Array | undefined, { models: Point[]; best: Point }> = new Map();

  constructor(set: QuestionSet, draws: readonly Uint16Array[]) {
    const count = set.questions.length;
    this.#set = set;
    this.#draws = draws;
    this.#models = set.models.map(() => new Tally(count));
    this.best = new Tally(count);
    this.oracle = new Tally(count);
  }

  /** Adds the test of a question, of which `best` is the best model by the training half. */
  add(at: number, best: number): void {
    const { y = [], c = [] } = this.#set.questions[at] ?? {};
    const resultOf = (model: number) => ({ quality: y[model] ?? 0, cost: c[model] ?? 0 });
    for (const [model, tally] of this.#models.entries()) tally.add(at, resultOf(model));
    this.best.add(at, resultOf(best));
    const order = [...y.keys()].sort((one, other) =>
      (y[other] ?? 0) - (y[one] ?? 0) || (c[one] ?? 0) - (c[other] ?? 0)
    );
    this.oracle.add(at, resultOf(order[0] ?? 0));
  }

  /** Returns the single models and the best one, where each question counts so often. */
  points(times?: Uint16Array): { models: Point[]; best: Point } {
    let points = this.#points.get(times);
    if (points === undefined) {
      points = {
        models: this.#models.map((tally) => tally.mean(times)),
        best: this.best.mean(times),
      };
      this.#points.set(times, points);
    }
    return points;
  }

  /**
   * Returns the figures of a way of choosing, once all tests are added.
   *
   * @default draws {those of the constructor}
   */
  figures(tally: Tally, draws: readonly Uint16Array[] = this.#draws): Figures {
    const at = (times?: Uint16Array) => {
      const { models, best } = this.points(times);
      const { quality, cost } = tally.mean(times);
      return {
        quality,
        share: cost / best.cost,
        loss: quality - best.quality,
        gain: quality - mixAt(cost, models),
      };
    };
    const value = at();
    const drawn = draws.map(at);
    const of = (name: keyof Figures) => intervalOf(value[name], drawn.map((draw) => draw[name]));
    return { quality: of("quality"), share: of("share"), loss: of("loss"), gain: of("gain") };
  }
}
