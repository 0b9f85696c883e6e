/**
 * The sampled decisions of a wallet with its present estimates. Measured rates and replays choose
 * among the same models at the same prices.
 *
 * @module
 */

import { sizeFactor } from "../routing/value.ts";
import { type Estimate, estimatesOf, type Evidence } from "./estimate.ts";
import type { OutcomeSource, RouteSample, WalletStatistics } from "./statistics.ts";
import { typicalPriceOf } from "./typical_price.ts";

/** Facts of the catalog that estimates rest on. */
export interface EstimateContext {
  /** Returns the quality of a model by the catalog; `undefined` for a model that is gone. */
  qualityOf(model: string): number | undefined;
  /** Sources of outcomes that count. */
  readonly sources: readonly OutcomeSource[];
}

/** An allowed model of a sampled decision. */
export interface RecordedOption {
  readonly model: string;
  readonly quality: number;
  readonly estimate: Estimate;
  /** Price beside the best model's. */
  readonly share: number;
  /** Price in credits. */
  readonly price: number;
}

/** A sampled decision with the present estimates. */
export interface RecordedChoice {
  readonly task: string;
  /** Factor of the size of the request on the exchange rate. */
  readonly size: number;
  /** Never empty. */
  readonly options: readonly RecordedOption[];
  /** The option with the highest estimate. */
  readonly best: RecordedOption;
}

/** Returns the choices of a wallet's samples; models that are gone from the catalog are left out. */
export function recordedChoices(
  { tasks, samples }: Pick<WalletStatistics, "tasks" | "samples">,
  totals: Evidence["wallet"],
  { qualityOf, sources }: EstimateContext,
): readonly RecordedChoice[] {
  const typical = typicalPriceOf(samples);
  return samples.flatMap((sample: RouteSample) => {
    const { task, load, price, spent = price } = sample;
    const models = sample.options.flatMap(([id, share]) => {
      const quality = qualityOf(id);
      return quality === undefined ? [] : [{ id, quality, share }];
    });
    const evidence = { wallet: totals, task: tasks[task], sources };
    const estimates = estimatesOf(models, load, evidence);
    const options = estimates.map((estimate, at): RecordedOption => {
      const { id = "", quality = 0, share = 0 } = models[at] ?? {};
      return { model: id, quality, estimate, share, price: share * spent };
    });
    const best = highest(options, ({ estimate }) => estimate.p);
    return best === undefined ? [] : [{ task, size: sizeFactor(price, typical), options, best }];
  });
}

/** Returns the item with the highest value, the first of equals; `undefined` of none. */
export function highest<T>(items: readonly T[], valueOf: (item: T) => number): T | undefined {
  let best: T | undefined;
  let bestValue = -Infinity;
  for (const item of items) {
    const value = valueOf(item);
    if (best === undefined || value > bestValue) [best, bestValue] = [item, value];
  }
  return best;
}
