/**
 * Data of a catalog that routing needs, computed once per version and tier. Catalog versions never
 * change, so the cache leaves routing a pure function.
 *
 * @module
 */

import type { Catalog, Model, Tier, UpstreamConfig } from "../catalog/catalog.ts";
import { invariant } from "../invariant.ts";
import { freezePrice, type FrozenPrice } from "../ledger/pricing.ts";
import { type ModelFamily, modelFamily } from "../requests/token_estimate.ts";

/** A model with its upstream and tokenizer family. */
export interface Target {
  readonly model: Model;
  readonly upstream: UpstreamConfig;
  readonly family: ModelFamily;
}

/** A price as floating-point numbers: for comparison, never for charging. */
export interface Rate {
  readonly input: number;
  readonly output: number;
  readonly image: number;
}

/** A model's price at a tier. */
export interface PricedRate extends Rate {
  readonly price: FrozenPrice;
}

/** Prices of a catalog at a tier. */
export interface Rates {
  /** Absent for a model without a valid price. */
  readonly byModel: ReadonlyMap<string, PricedRate>;
  /** The highest price of each kind. */
  readonly dearest: Rate;
}

const targetsByCatalog = new WeakMap<Catalog, readonly Target[]>();
const ratesByCatalog = new WeakMap<Catalog, Map<string, Rates>>();

/** Returns the catalog's models, in its order. */
export function targetsOf(catalog: Catalog): readonly Target[] {
  const cached = targetsByCatalog.get(catalog);
  if (cached !== undefined) return cached;
  const targets = catalog.models.map((model) => {
    const upstream = catalog.upstreams.find((candidate) => candidate.id === model.upstream);
    invariant(upstream, `Model "${model.id}" refers to the unknown upstream "${model.upstream}"`);
    return { model, upstream, family: modelFamily(model.upstreamModel) };
  });
  targetsByCatalog.set(catalog, targets);
  return targets;
}

/** Returns the catalog's prices at a tier's rate. */
export function ratesOf(catalog: Catalog, tier: Tier): Rates {
  const byTier = ratesByCatalog.get(catalog) ?? new Map<string, Rates>();
  ratesByCatalog.set(catalog, byTier);
  const cached = byTier.get(tier.id);
  if (cached !== undefined) return cached;

  const byModel = new Map<string, PricedRate>();
  const dearest = { input: 0, output: 0, image: 0 };
  for (const model of catalog.models) {
    const price = freezePrice(model.price, tier.creditsPerUsd, { version: catalog.version });
    if (price === undefined) continue;
    const [input, output] = [Number(price.input), Number(price.output)];
    const image = Number(price.image);
    byModel.set(model.id, { price, input, output, image });
    dearest.input = Math.max(dearest.input, input);
    dearest.output = Math.max(dearest.output, output);
    dearest.image = Math.max(dearest.image, image);
  }
  const rates = { byModel, dearest };
  byTier.set(tier.id, rates);
  return rates;
}
