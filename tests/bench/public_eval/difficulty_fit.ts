/**
 * Fits the constants of the difficulty to sets of questions, so that a set can be judged with
 * constants that do not rest on it.
 *
 * @module
 */

import {
  type DifficultyConstants,
  difficultyOf,
  TYPICAL_DIFFICULTY,
} from "../../../gateway/domain/routing/difficulty.ts";
import { apgrOf, scoreOrder } from "./apgr.ts";
import { meanOf } from "./catalog.ts";
import type { QuestionSet } from "./data.ts";
import { outcomesOf, pairOf } from "./evaluate.ts";
import type { Bench } from "./replay.ts";

const SIGNAL_WEIGHTS = [0, 0.2, 0.4] as const;
const SLOPES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5] as const;

/** Constants that the fit chooses from; the slope follows, because no order depends on it. */
const CANDIDATES: readonly DifficultyConstants[] = (["all", "letters"] as const).flatMap((
  counted,
) =>
  SIGNAL_WEIGHTS.flatMap((code) =>
    SIGNAL_WEIGHTS.flatMap((mathematics) =>
      SIGNAL_WEIGHTS.map((reasoning) => ({ slope: 0.25, counted, code, mathematics, reasoning }))
    )
  )
);

/** Returns the difficulty of every question under constants. */
export function difficultiesOf(set: QuestionSet, constants: DifficultyConstants): number[] {
  return set.questions.map(({ q }) => {
    const textBytes = q.length;
    const signals = { textBytes, tools: 0, schema: false, effort: undefined };
    return difficultyOf([{ role: "user", content: q }], signals, constants);
  });
}

/** Returns a bench whose difficulties follow from constants. */
export function benchWith({ set, features }: Bench, constants: DifficultyConstants): Bench {
  const difficulties = difficultiesOf(set, constants);
  return {
    set,
    features: features.map((own, at) => ({ ...own, difficulty: difficulties[at] ?? 0 })),
  };
}

/** The fit of one set, from which the fit of several follows. */
export interface SetFit {
  /** APGR under each candidate. */
  readonly apgrs: readonly number[];
  /** Slope of the highest likelihood. */
  readonly slope: number;
}

/** Returns the fit of one set. */
export function fitSet(set: QuestionSet): SetFit {
  const outcomes = outcomesOf(set, pairOf(set));
  const apgrs = CANDIDATES.map((constants) =>
    apgrOf(scoreOrder(difficultiesOf(set, constants)), outcomes)
  );
  const best = CANDIDATES[apgrs.indexOf(Math.max(...apgrs))];
  return { apgrs, slope: best === undefined ? 0.25 : slopeOf(set, best) };
}

/**
 * Returns the slope of the highest likelihood, where the share of bad answers of each model is its
 * mean times the difficulty beside the mean difficulty.
 */
function slopeOf(set: QuestionSet, constants: DifficultyConstants): number {
  const likelihoods = SLOPES.map((slope) => {
    const loads = difficultiesOf(set, { ...constants, slope })
      .map((difficulty) => difficulty / TYPICAL_DIFFICULTY);
    const mean = meanOf(loads);
    return set.models.reduce((sum, _, model) => {
      const bad = 1 - meanOf(set.questions.map(({ y }) => y[model] ?? 0));
      return sum + set.questions.reduce((total, { y }, at) => {
        const p = Math.min(0.99, Math.max(0.01, bad * (loads[at] ?? 1) / mean));
        const score = y[model] ?? 0;
        return total + score * Math.log(1 - p) + (1 - score) * Math.log(p);
      }, 0);
    }, 0);
  });
  return SLOPES[likelihoods.indexOf(Math.max(...likelihoods))] ?? 0.25;
}

/** Returns the constants that fit several sets best: the highest mean APGR, and the mean slope. */
export function constantsOf(fits: readonly SetFit[]): DifficultyConstants {
  const means = CANDIDATES.map((_, at) => meanOf(fits.map(({ apgrs }) => apgrs[at] ?? 0)));
  const best = CANDIDATES[means.indexOf(Math.max(...means))];
  if (best === undefined) throw new RangeError("No constants to choose from");
  return { ...best, slope: meanOf(fits.map(({ slope }) => slope)) };
}
