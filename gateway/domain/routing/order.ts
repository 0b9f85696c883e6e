/**
 * Orders the models that can serve a request by their value, and chooses the plan.
 *
 * @module
 */

import type { Model, Tier } from "../catalog/catalog.ts";
import type { ProviderTraits } from "../catalog/provider_traits.ts";
import { bestKnownOf } from "../learning/best_known.ts";
import { type Estimate, estimatesOf, loadOf, NO_MODELS } from "../learning/estimate.ts";
import type { RouteSample } from "../learning/statistics.ts";
import { priceRatio } from "../learning/typical_price.ts";
import { type FrozenPrice, PRICE_UNITS_PER_CREDIT } from "../ledger/pricing.ts";
import { DEFAULT_EXPLORATION, dialFor, SHARE_MAX, sourcesOf } from "./auto.ts";
import { type Dial, rateOf } from "./dial.ts";
import type { AffordableHold } from "./funds.ts";
import { draws, embeds, type HoldShape, logprobsFirst } from "./hold_shape.ts";
import { isVerifiable, ladderFor } from "./ladder.ts";
import type { Basis, Candidate, ChosenLadder, Ranking, RoutingInput } from "./plan.ts";
import type { Rate, Rates, Target } from "./targets.ts";
import {
  expectedOutputTokens,
  isGoodEnough,
  NOT_GOOD_ENOUGH,
  rank,
  sizeFactor,
  stickyMargin,
  valueOf,
} from "./value.ts";

/** A model that passed every stage of the filter. */
export interface Option {
  readonly target: Target;
  readonly price: FrozenPrice;
  readonly shape: HoldShape;
  readonly hold: AffordableHold;
  readonly latencyMs: number | undefined;
}

/** The part of a search that ordering uses. */
export interface OrderContext {
  readonly input: RoutingInput;
  readonly tier: Tier;
  readonly rates: Rates;
  /** Likely input of the request, in tokens. */
  readonly likelyTokens: number;
}

const NO_ESTIMATE: Estimate = { p: 0, error: 1, outcomes: 0 };

/** An option with its value. */
interface Valued {
  readonly id: string;
  readonly score: number;
  readonly option: Option;
  readonly estimate: Estimate;
  readonly price: number;
}

/** Orders options, best first, and returns the facts that the order rests on. */
export function order(
  options: readonly Option[],
  context: OrderContext,
): { candidates: Candidate[]; basis: Basis; ladder: ChosenLadder | undefined } {
  const { input, tier } = context;
  const { features, catalog, policy, seed, stickyModel, traitsOf = () => ({}) } = input;
  const settings = catalog.auto;
  const dial = dialFor({ choice: input.choice, policy, tier, settings });
  const { valued, scale, sample } = valueAll(options, dial, context);
  const byValue = rank(valued, { seed, sticky: stickyModel, margin: stickyMargin(dial) });
  const ranked = logprobsFirst(byValue, { features, traitsOf });
  const explored = exploredIn(ranked, dial, input);
  const ordered = explored === undefined
    ? ranked
    : [explored, ...ranked.filter((item) => item !== explored)];
  const instead = explored !== undefined
    ? "exploration"
    : ordered[0]?.id === stickyModel && ordered[0]?.id !== bestOf(valued)?.id
    ? "conversation"
    : "value";
  const candidates = ordered.map((item, index) => {
    const ranking = {
      rank: index + 1,
      count: ordered.length,
      difficulty: features.difficulty,
      isSticky: instead === "conversation" && index === 0,
      latencyMs: item.option.latencyMs,
      estimate: item.estimate,
      price: item.price,
      dial,
      isExplored: item === explored,
      isPinned: features.onlyModel !== undefined,
    };
    return candidateOf(item, ranking, traitsOf(item.option.target.upstream.kind));
  });
  const ladder = ladderFor(candidates, { input, dial, rate: scale });
  const snapshot = input.snapshot?.number ?? 0;
  const kind = ladder === undefined ? instead : "verified";
  return {
    candidates,
    ladder: ladder && { ...ladder, instead },
    basis: { snapshot, task: input.task, dial, kind, sample },
  };
}

function bestOf(valued: readonly Valued[]): Valued | undefined {
  return valued.reduce<Valued | undefined>(
    (best, item) => best === undefined || item.score > best.score ? item : best,
    undefined,
  );
}

/** Returns the value of every option, and the rate that they were compared at. */
function valueAll(
  options: readonly Option[],
  dial: Dial,
  context: OrderContext,
): { valued: Valued[]; scale: number; sample: RouteSample | undefined } {
  const { input, rates } = context;
  const { features, snapshot, task, wallet, catalog } = input;
  const known = snapshot?.wallets.get(wallet.id);
  const models = options.map(({ target }) => target.model);
  const load = draws(features) || embeds(features) ? 1 : loadOf(features.difficulty);
  const estimates = estimatesOf(models, load, {
    wallet: known?.totals ?? NO_MODELS,
    task: task === undefined ? undefined : known?.statistics.tasks[task],
    sources: sourcesOf(catalog.auto),
  });
  const prices = options.map((option) => {
    const rate = rates.byModel.get(option.target.model.id);
    return rate === undefined ? 0 : expectedPrice(option, rate, context) / PRICE_UNITS_PER_CREDIT;
  });
  const bestP = Math.max(...estimates.map(({ p }) => p));
  const bestPrice = bestKnownOf(
    models.map(({ quality }, at) => {
      const { p, error, outcomes } = estimates[at] ?? NO_ESTIMATE;
      return { p, error, outcomes, quality, price: prices[at] ?? 0 };
    }),
  )?.price ?? 0;
  const spread = spreadOf(models);
  const rate = rateOf(dial, { spread, measured: known?.rates }) *
    sizeFactor(
      bestPrice,
      known?.typicalPrice,
      priceRatio(
        task === undefined ? undefined : known?.statistics.tasks[task],
        known?.typicalPrice,
      ),
    ) * ditherOf(input.seed);
  const valued = options.map((option, at): Valued => {
    const estimate = estimates[at] ?? NO_ESTIMATE;
    const price = prices[at] ?? 0;
    const share = shareOf(price, bestPrice);
    const score = dial === 0 && !isGoodEnough(estimate, bestP)
      ? NOT_GOOD_ENOUGH + estimate.p
      : valueOf({ p: estimate.p, share, latencyMs: option.latencyMs }, { dial, rate });
    return { id: option.target.model.id, score, option, estimate, price };
  });
  const sample = bestPrice <= 0 || options.length < 2 ? undefined : {
    task: task ?? "",
    load,
    price: bestPrice,
    ...(isVerifiable(input) ? { isVerifiable: true } : {}),
    options: valued.map(({ id, price }) => [id, shareOf(price, bestPrice)] as const),
  };
  return { valued, scale: rate, sample };
}

/** Returns the difference between the best and the worst quality. */
function spreadOf(models: readonly Model[]): number {
  let [best, worst] = [-Infinity, Infinity];
  for (const { quality } of models) {
    best = Math.max(best, quality);
    worst = Math.min(worst, quality);
  }
  return best - worst;
}

/** Returns a price beside the best model's; a price beside a free one counts a thousandfold. */
function shareOf(price: number, bestPrice: number): number {
  if (bestPrice > 0) return price / bestPrice;
  return price > 0 ? 1_000 : 0;
}

/**
 * Returns a factor between 0.98 and 1.02 on the rate, so that many equal requests divide between two
 * models of nearly equal value instead of all changing at once.
 */
function ditherOf(seed: number): number {
  return 2 ** ((fractionOf(seed * 2 ** 32) - 0.5) / 16);
}

function fractionOf(value: number): number {
  return value - Math.floor(value);
}

/** Returns the expected price of this request at a rate, in units of a frozen price. */
function expectedPrice(
  { shape }: Option,
  rate: Rate,
  { input: { features }, likelyTokens }: OrderContext,
): number {
  const outputTokens = draws(features)
    ? shape.outputTokens
    : Math.min(expectedOutputTokens(features.difficulty), shape.outputTokens);
  return likelyTokens * rate.input + outputTokens * shape.choices * rate.output +
    shape.images * rate.image;
}

/**
 * Returns the model that this request tries in order to learn about it: for a share of the requests
 * of tasks that are scored, any candidate but the first whose quality the key's policy allows for
 * exploration. Never at the position `best`.
 */
function exploredIn(
  ranked: readonly Valued[],
  dial: Dial,
  { catalog, policy, snapshot, task, wallet, seed }: RoutingInput,
): Valued | undefined {
  const share = Math.min(catalog.auto?.exploration ?? DEFAULT_EXPLORATION, SHARE_MAX);
  if (seed >= share || dial === 1 || task === undefined) return undefined;
  const known = snapshot?.wallets.get(wallet.id)?.statistics.tasks[task];
  const isScored = Object.values(known?.models ?? {}).some(({ sums }) =>
    sums.feedback !== undefined || sums.audit !== undefined
  );
  if (!isScored) return undefined;
  const floor = policy.auto?.qualityFloor ?? 0;
  const others = ranked.slice(1).filter(({ option }) => option.target.model.quality >= floor);
  return others[Math.floor(fractionOf(seed * 2 ** 16) * others.length)];
}

function candidateOf(
  { option, score }: Valued,
  ranking: Ranking,
  traits: ProviderTraits,
): Candidate {
  const { target, shape, hold } = option;
  const limitedBy = hold.outputTokens < shape.outputTokens ? "funds" : shape.limitedBy;
  return {
    model: target.model,
    upstream: target.upstream,
    traits,
    price: option.price,
    inputTokens: shape.inputTokens,
    imageInputTokens: shape.imageInputTokens,
    mediaInputTokens: shape.mediaInputTokens,
    outputTokens: hold.outputTokens * shape.choices,
    holdAmount: hold.amount,
    holdMinimum: hold.minimum,
    outputLimit: limitedBy === undefined ? undefined : hold.outputTokens,
    limitedBy,
    score,
    ranking,
  };
}
