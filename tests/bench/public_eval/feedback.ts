/**
 * Learning from votes alone, between two models.
 *
 * @module
 */

import { DEFAULT_EXPLORATION } from "../../../gateway/domain/routing/auto.ts";
import { DEFAULT_DIAL } from "../../../gateway/domain/routing/dial.ts";
import type { RoutingSnapshot } from "../../../gateway/domain/learning/snapshot.ts";
import { type QuestionSet, withModels } from "./data.ts";
import { type Half, halfOf, pairOf } from "./evaluate.ts";
import { bootstrapDraws, type Interval, randomOf } from "./random.ts";
import { type Bench, benchOf, planOf, served } from "./replay.ts";
import { untrainedSnapshot, votedSnapshot } from "./snapshots.ts";
import { Baselines, type Figures, Tally } from "./tally.ts";

/** Share of votes that state the opposite, in the scenario with wrong votes. */
export const WRONG_VOTES = 0.15;

/** Figures of `balanced` without votes, after votes, and after votes of which some are wrong. */
export interface FeedbackReport {
  readonly set: string;
  readonly pair: readonly [string, string];
  readonly before: Figures;
  readonly voted: Figures;
  readonly misled: Figures;
}

/** Evaluates votes about the pair of models of a set. */
export function evaluateFeedback(set: QuestionSet, seeds: readonly number[], options: {
  progress(line: string): void;
}): FeedbackReport {
  const pair = pairOf(set);
  const bench = benchOf(withModels(set, pair));
  const count = set.questions.length;
  const baselines = new Baselines(bench.set, bootstrapDraws(count));
  const runs = { before: [] as Tally[], voted: [] as Tally[], misled: [] as Tally[] };
  for (const seed of seeds) {
    const half = halfOf(bench, seed, "published", DEFAULT_EXPLORATION);
    for (const at of half.test) baselines.add(at, half.best);
    const input = { bench, ...half };
    runs.before.push(balanced(bench, half, untrainedSnapshot(input)));
    runs.voted.push(balanced(bench, half, votedSnapshot(input, 0)));
    runs.misled.push(balanced(bench, half, votedSnapshot(input, WRONG_VOTES)));
    options.progress(`${set.name}, votes: split ${seed}`);
  }
  return {
    set: set.name,
    pair,
    before: figuresOf(runs.before, baselines),
    voted: figuresOf(runs.voted, baselines),
    misled: figuresOf(runs.misled, baselines),
  };
}

function balanced(bench: Bench, { catalog, test, seed }: Half, snapshot: RoutingSnapshot): Tally {
  const tally = new Tally(bench.set.questions.length);
  const random = randomOf(seed + 120_000);
  const way = { snapshot, verify: "off" } as const;
  for (const at of test) {
    const plan = planOf(bench, at, { catalog, way, dial: DEFAULT_DIAL, seed: random() });
    tally.add(at, served(bench, at, plan));
  }
  return tally;
}

/** Returns the figures of all runs; the error of the gain includes the variance between the runs. */
function figuresOf(runs: readonly Tally[], baselines: Baselines): Figures {
  const all = runs.reduce((sum, run) => sum.plus(run));
  const figures = baselines.figures(all);
  const gains = runs.map((run) => baselines.figures(run, []).gain.value);
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const square = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0);
  const variance = square / Math.max(1, gains.length - 1) / gains.length;
  return { ...figures, gain: widened(figures.gain, variance) };
}

function widened(interval: Interval, variance: number): Interval {
  const error = Math.sqrt(interval.error ** 2 + variance);
  const { value } = interval;
  return { value, error, low: value - 1.96 * error, high: value + 1.96 * error };
}
