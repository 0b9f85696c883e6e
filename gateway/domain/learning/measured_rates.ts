/**
 * Exchange rates at which a wallet's own traffic meets the target shares of cost.
 *
 * @module
 */

import type { Steps } from "../redaction/steps.ts";
import { MEASURED_DIALS, targetShare } from "../routing/dial.ts";
import { sizeFactor } from "../routing/value.ts";
import { bestKnownOf, highest } from "./best_known.ts";
import { type Estimate, estimatesOf, type Evidence } from "./estimate.ts";
import { ALL_TASKS, isProven, type LadderPlan, ladderProbability } from "./ladder_plans.ts";
import type { OutcomeSource, WalletStatistics } from "./statistics.ts";
import { priceRatio, typicalPriceOf } from "./typical_price.ts";

/** Minimum samples that a measured rate rests on. */
export const SAMPLES_MIN = 24;

const STEPS = 24;
const LOWEST = 1e-4;
const HIGHEST = 100;

/** Facts of the catalog that estimates rest on. */
export interface EstimateContext {
  /** Returns the quality of a model by the catalog; `undefined` for a model that is gone. */
  qualityOf(model: string): number | undefined;
  /** Sources of outcomes that count. */
  readonly sources: readonly OutcomeSource[];
}

/** Stands for the models of a plan of verified answers. */
export const VERIFIED = "verified";

/** An allowed model of a sampled decision, or a plan of verified answers. */
export interface RecordedOption extends Estimate {
  /** Catalog id, or {@linkcode VERIFIED}. */
  readonly model: string;
  /** Quality by the catalog: of a plan, that of its better model. */
  readonly quality: number;
  /** Price beside the best model's. */
  readonly share: number;
  /** Share, weighted by the size of the request. */
  readonly cost: number;
  /** Price in credits. */
  readonly price: number;
}

/** A sampled decision with the present estimates: the choice is the highest `p - rate * cost`. */
export interface RecordedChoice {
  /** Never empty. */
  readonly options: readonly RecordedOption[];
  /** The best model as far as is known. */
  readonly best: RecordedOption;
}

/**
 * Computes the rates at {@linkcode MEASURED_DIALS}, one a step; `undefined` for fewer than
 * {@linkcode SAMPLES_MIN} samples. At each rate, the samples' total price is the target share of
 * their price at the best models, as near as the choices allow.
 */
export function* measuredRateSteps(
  statistics: Pick<WalletStatistics, "tasks" | "samples">,
  totals: Evidence["wallet"],
  context: RecordContext,
): Steps<readonly number[] | undefined> {
  const choices = recordedChoices(statistics, totals, context);
  if (choices.length < SAMPLES_MIN) return undefined;
  const rates: number[] = [];
  for (const dial of MEASURED_DIALS) {
    yield;
    rates.push(rateFor(choices, targetShare(dial)));
  }
  return rates;
}

/** Facts that recorded choices rest on. */
export interface RecordContext extends EstimateContext {
  /** Plans of verified answers. */
  readonly plans: Readonly<Record<string, readonly LadderPlan[]>>;
}

/** Returns the choices of a wallet's samples; models that are gone from the catalog are left out. */
export function recordedChoices(
  { tasks, samples }: Pick<WalletStatistics, "tasks" | "samples">,
  totals: Evidence["wallet"],
  { qualityOf, sources, plans }: RecordContext,
): readonly RecordedChoice[] {
  const typical = typicalPriceOf(samples, tasks);
  return samples.flatMap((sample): readonly RecordedChoice[] => {
    const { task, load, price, spent = price } = sample;
    const models = sample.options.flatMap(([id, share]) => {
      const quality = qualityOf(id);
      return quality === undefined ? [] : [{ id, quality, share }];
    });
    const evidence = { wallet: totals, task: tasks[task], sources };
    const factor = sizeFactor(price, typical, priceRatio(tasks[task], typical));
    const estimates = estimatesOf(models, load, evidence);
    const known = models.map((model, at) => ({
      ...{ ...model, price: model.share * spent },
      ...estimates[at] ?? { p: 0, error: 1, outcomes: 0 },
    }));
    const measure = bestKnownOf(known);
    if (measure === undefined) return [];
    const costOf = (share: number) => share / (measure.share || 1) * factor;
    const optionOf = ({ id, ...model }: typeof measure): RecordedOption => ({
      ...{ ...model, model: id, cost: costOf(model.share) },
    });
    const verifiable = sample.isVerifiable === true ? plans[task] ?? plans[ALL_TASKS] ?? [] : [];
    const verified = verifiable.filter(isProven).flatMap((plan): RecordedOption[] => {
      const better = known.find(({ id }) => id === plan.better);
      if (better === undefined) return [];
      const p = ladderProbability(plan, { better: better.p, load });
      const share = plan.cost * better.share;
      const price = share * spent;
      return [{ ...optionOf(better), model: VERIFIED, p, cost: costOf(share), price }];
    });
    return [{ options: [...known.map(optionOf), ...verified], best: optionOf(measure) }];
  });
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
  let [spent, alone] = [0, 0];
  for (const { options, best } of choices) {
    spent += highest(options, ({ p, cost }) => p - rate * cost)?.price ?? 0;
    alone += best.price;
  }
  return alone === 0 ? 0 : spent / alone;
}
