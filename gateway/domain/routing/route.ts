/**
 * Selects and orders the models for a request in one pure function.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { Model, Tier } from "../catalog/catalog.ts";
import { formatCredits, type Micros } from "../ledger/money.ts";
import { modelDenial, requestDenial } from "../policy/policy.ts";
import { effectiveTier, tierAllows } from "../policy/tiers.ts";
import type { RequestFeatures } from "../requests/features.ts";
import { likelyInputTokens } from "../requests/token_estimate.ts";
import { type Funds, fundsOf, holdFor } from "./funds.ts";
import { draws, embeds, LEAST_OUTPUT_TOKENS, shapeOf } from "./hold_shape.ts";
import { type Option, order } from "./order.ts";
import {
  type Exclusion,
  ROUTING_STAGES,
  type RoutingInput,
  type RoutingPlan,
  type RoutingStage,
} from "./plan.ts";
import { refusalOf } from "./refusal.ts";
import { type Rates, ratesOf, type Target, targetsOf } from "./targets.ts";

/**
 * Decides which models serve a request and in which order, the hold for each, and why the others
 * are excluded. Equal input gives an equal plan.
 *
 * Among the models that pass every stage, the best group stays: models that can write all the
 * requested output with a hold in full; else models that can serve with less output; else models
 * that become affordable after open holds have ended.
 *
 * Busy models are excluded, unless all models that could serve the request in full are busy: then
 * the request waits for them.
 */
export function route(input: RoutingInput): RoutingPlan {
  const { catalog, features, policy } = input;
  const considered = features.onlyModel === undefined ? catalog.models.length : 1;
  const refuse = (code: ErrorCode, message: string): RoutingPlan => (
    { ok: false, code, message, exclusions: [], considered }
  );
  const denial = requestDenial(policy, features);
  if (denial !== undefined) return refuse("policy_denied", denial);
  const resolution = effectiveTier(policy, input.wallet.tier, catalog);
  if (!resolution.ok) return refuse("policy_denied", resolution.message);

  const { tier } = resolution;
  const search: Search = {
    input,
    tier,
    funds: fundsOf(input),
    rates: ratesOf(catalog, tier),
    likelyTokens: likelyInputTokens(features),
    exclusions: [],
    busy: new Map(),
    least: undefined,
  };
  let open: Option[] = [];
  for (const target of targetsOf(catalog)) {
    if (features.onlyModel !== undefined && target.model.id !== features.onlyModel) continue;
    const option = examine(target, search);
    if (option !== undefined) open.push(option);
  }
  if (open.every(isLowered)) {
    const awaited = [...search.busy].filter(([, one]) => open.length === 0 || !isLowered(one));
    if (open.length + awaited.length === 0) return refusalOf(search);
    open = [...open, ...awaited.map(([, option]) => option)];
    const ids = new Set(awaited.map(([id]) => id));
    search.exclusions = search.exclusions.filter(({ model }) => !ids.has(model));
  }
  const options = keepBest(open, search.exclusions);
  return { ok: true, tier, ...order(options, search), exclusions: search.exclusions, considered };
}

/** State of one routing decision. */
interface Search {
  readonly input: RoutingInput;
  readonly tier: Tier;
  readonly funds: Funds;
  readonly rates: Rates;
  readonly likelyTokens: number;
  exclusions: Exclusion[];
  /** Models that passed every stage but the last, because they are busy. */
  readonly busy: Map<string, Option>;
  /** Minimum hold among unaffordable models. */
  least: Micros | undefined;
}

/** Takes a model through the stages and records the first that it fails. */
function examine(target: Target, search: Search): Option | undefined {
  const { model, upstream } = target;
  const { features, policy, pool } = search.input;

  const incapable = incapacity(model, features);
  if (incapable !== undefined) return exclude(model, incapable, search);
  const tooShort = shortness(model, features, search.likelyTokens);
  if (tooShort !== undefined) return exclude(model, { stage: "context", reason: tooShort }, search);
  const denial = modelDenial(policy, { model, provider: upstream.provider });
  if (denial !== undefined) return exclude(model, { stage: "policy", reason: denial }, search);
  if (!tierAllows(search.tier, model.id)) {
    const reason = `is not in the tier "${search.tier.id}"`;
    return exclude(model, { stage: "tier", reason }, search);
  }
  const rate = search.rates.byModel.get(model.id);
  if (rate === undefined) {
    const reason = "has no valid price, so nothing could be held";
    return exclude(model, { stage: "price", reason }, search);
  }

  const shape = shapeOf(target, features, search.likelyTokens);
  const hold = holdFor(shape, rate.price, search.funds);
  if (hold.affordability === "never") {
    if (search.least === undefined || hold.minimum < search.least) search.least = hold.minimum;
    const least = formatCredits(hold.minimum);
    const most = formatCredits(search.funds.later);
    const reason = `needs a hold of at least ${least} credits, ${most} can be held`;
    return exclude(model, { stage: "affordable", reason }, search);
  }
  const state = pool.get(model.id);
  const unavailable = model.disabled
    ? "was disabled by the operator"
    : state?.available === false
    ? state.reason ?? "is not available"
    : undefined;
  const option = { target, price: rate.price, shape, hold, latencyMs: state?.latencyMs };
  if (unavailable !== undefined) {
    if (!model.disabled && state?.busy === true) search.busy.set(model.id, option);
    return exclude(model, { stage: "available", reason: unavailable }, search);
  }
  return option;
}

function exclude(model: Model, why: Omit<Exclusion, "model">, search: Search): undefined {
  search.exclusions.push({ model: model.id, ...why });
}

/** Returns the first need of the request that a model does not meet. */
function incapacity(
  model: Model,
  features: RequestFeatures,
): { stage: RoutingStage; reason: string } | undefined {
  if (!model.endpoints.includes(features.endpoint)) {
    return { stage: "endpoint", reason: `does not serve the endpoint "${features.endpoint}"` };
  }
  let missing: { stage: RoutingStage; reason: string } | undefined;
  for (const need of features.needs) {
    if (model.featureTags.includes(need)) continue;
    const stage = need === "tools" || need === "json" ? need : "modality";
    const earlier = missing === undefined ||
      ROUTING_STAGES.indexOf(stage) < ROUTING_STAGES.indexOf(missing.stage);
    if (earlier) missing = { stage, reason: `does not offer "${need}", which the request needs` };
  }
  return missing;
}

/** Returns why the context of a model is too short. Models that draw have no context. */
function shortness(
  model: Model,
  features: RequestFeatures,
  inputTokens: number,
): string | undefined {
  if (draws(features)) return undefined;
  if (embeds(features)) return overlong(model, features.longestInputTokens ?? inputTokens);
  const least = Math.min(features.requestedOutputTokens ?? 1, LEAST_OUTPUT_TOKENS);
  if (inputTokens + least <= model.contextTokens) return undefined;
  return `holds ${model.contextTokens} tokens, the input comes to some ${inputTokens} ` +
    `and ${least} are left for output`;
}

/** Returns why one input is too long for a model, which reads each input by itself. */
function overlong({ contextTokens }: Model, inputTokens: number): string | undefined {
  if (inputTokens <= contextTokens) return undefined;
  return `reads ${contextTokens} tokens of an input, the longest comes to some ${inputTokens}`;
}

/**
 * Keeps the options with the best affordability; options with reduced output only if none is
 * complete.
 */
function keepBest(options: readonly Option[], exclusions: Exclusion[]): Option[] {
  const best = Math.min(...options.map(shortfallOf));
  return options.filter((option) => {
    if (shortfallOf(option) === best) return true;
    exclusions.push({ model: option.target.model.id, ...whyShort(option) });
    return false;
  });
}

/** Extends `Affordability`: output cut by the model counts like output cut by the funds. */
function shortfallOf({ hold, shape }: Option): number {
  return Math.max(hold.affordability, isLowered({ shape }) ? 1 : 0);
}

function isLowered({ shape: { limitedBy } }: Pick<Option, "shape">): boolean {
  return limitedBy === "model" || limitedBy === "context";
}

function whyShort({ hold, shape }: Option): Omit<Exclusion, "model"> {
  if (hold.affordability === 0) {
    const reason = `could only give ${shape.outputTokens} tokens of the output asked for`;
    return { stage: "context", reason };
  }
  const reason = hold.affordability === 1
    ? `could only be paid for with its output cut to ${hold.outputTokens} tokens`
    : "could only be paid for once other requests have ended";
  return { stage: "affordable", reason };
}
