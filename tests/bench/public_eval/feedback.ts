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

/** Figures with two standard errors of the gain: see {@linkcode figuresOf}. */
export interface VotedFigures extends Figures {
  /** Standard error of the mean gain over the draws, each beside the mix of its own questions. */
  readonly drawError: number;
}

/** Figures of `balanced` without votes, after votes, and after votes of which some are wrong. */
export interface FeedbackReport {
  readonly set: string;
  readonly pair: readonly [string, string];
  readonly before: VotedFigures;
  readonly voted: VotedFigures;
  readonly misled: VotedFigures;
}

/** One draw: its choices, and the baselines of its own questions. */
interface Draw {
  readonly tally: Tally;
  readonly baselines: Baselines;
}

/** Evaluates votes about the pair of models of a set. */
export function evaluateFeedback(set: QuestionSet, seeds: readonly number[], options: {
  progress(line: string): void;
}): FeedbackReport {
  const pair = pairOf(set);
  const bench = benchOf(withModels(set, pair));
  const count = set.questions.length;
  const baselines = new Baselines(bench.set, bootstrapDraws(count));
  const runs = { before: [] as Draw[], voted: [] as Draw[], misled: [] as Draw[] };
  for (const seed of seeds) {
    const half = halfOf(bench, seed, "published", DEFAULT_EXPLORATION);
    const own = new Baselines(bench.set, []);
    for (const at of half.test) {
      baselines.add(at, half.best);
      own.add(at, half.best);
    }
    const input = { bench, ...half };
    const draw = (snapshot: RoutingSnapshot): Draw => ({
      tally: balanced(bench, half, snapshot),
      baselines: own,
    });
    runs.before.push(draw(untrainedSnapshot(input)));
    runs.voted.push(draw(votedSnapshot(input, 0)));
    runs.misled.push(draw(votedSnapshot(input, WRONG_VOTES)));
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

/**
 * Returns the figures of all draws. The error of the gain is that of other questions and of other
 * draws together; `drawError` is that of other draws of the same questions.
 */
function figuresOf(draws: readonly Draw[], baselines: Baselines): VotedFigures {
  const figures = baselines.figures(
    draws.map(({ tally }) => tally).reduce((sum, run) => sum.plus(run)),
  );
  const gains = draws.map(({ tally, baselines: own }) => own.figures(tally).gain.value);
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const square = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0);
  const variance = square / Math.max(1, gains.length - 1) / gains.length;
  return { ...figures, gain: widened(figures.gain, variance), drawError: Math.sqrt(variance) };
}

function widened(interval: Interval, variance: number): Interval {
  const error = Math.sqrt(interval.error ** 2 + variance);
  const { value } = interval;
  return { value, error, low: value - 1.96 * error, high: value + 1.96 * error };
}
