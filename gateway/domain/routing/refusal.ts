/**
 * The refusal of a request that no model can serve.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { Tier } from "../catalog/catalog.ts";
import type { Micros } from "../ledger/money.ts";
import { modelDenial } from "../policy/policy.ts";
import type { Exclusion, RoutingInput, RoutingPlan, RoutingStage } from "./plan.ts";
import { type Funds, fundsRefusal } from "./funds.ts";
import { targetsOf } from "./targets.ts";
import { tierAllows } from "../policy/tiers.ts";

/** A search without candidates. */
export interface FailedSearch {
  readonly input: RoutingInput;
  readonly tier: Tier;
  readonly funds: Funds;
  readonly likelyTokens: number;
  /** One for every model of the catalog. */
  readonly exclusions: readonly Exclusion[];
  /** Minimum hold among the models that were unaffordable. */
  readonly least: Micros | undefined;
}

/** Message when every suitable model is rate limited, now or during its cooldown. */
export const ALL_RATE_LIMITED =
  "Every model that could serve this request is rate limited by its provider";

const CAPABILITY: readonly RoutingStage[] = ["endpoint", "modality", "tools", "json"];

/** Returns the refusal for the obstacle that came nearest to an answer. */
export function refusalOf(search: FailedSearch): RoutingPlan & { readonly ok: false } {
  const { input, exclusions } = search;
  const refuse = (
    code: ErrorCode,
    message: string,
    more: { readonly retryAfterMs?: number; readonly param?: string | undefined } = {},
  ) => ({
    ...{ ok: false as const, code, message, ...more },
    exclusions,
    considered: input.features.onlyModel === undefined ? input.catalog.models.length : 1,
  });
  const reached = (stage: RoutingStage) =>
    exclusions.some((exclusion) => exclusion.stage === stage);

  // Temporary obstacles first: the same request can be served later without any change.
  const retryAfterMs = soonest(input, exclusions);
  if (retryAfterMs !== undefined) {
    return areRateLimited(input, exclusions)
      ? refuse("rate_limit_exceeded", ALL_RATE_LIMITED, { retryAfterMs })
      : refuse("no_model_available", unavailable(exclusions), { retryAfterMs });
  }
  if (search.least !== undefined) {
    const { code, message } = fundsRefusal(search.least, search.funds);
    return refuse(code, message);
  }
  if (reached("available")) return refuse("no_model_available", unavailable(exclusions));
  if (reached("price")) {
    return refuse("no_model_available", "No model that could serve this request has a valid price");
  }
  const capable = exclusions.filter((exclusion) => !CAPABILITY.includes(exclusion.stage));
  if (capable.length === 0) {
    const param = unmetPath(input);
    return refuse("invalid_request", incapable(input, exclusions), { param });
  }
  const short = capable.find((exclusion) =>
    exclusion.stage === "context" && isAllowed(exclusion.model, search)
  );
  if (short !== undefined) {
    const param = input.features.endpoint === "chat" ? "messages" : "input";
    return refuse("context_length_exceeded", tooLong(search), { param });
  }
  return refuse("policy_denied", denied(capable, search.tier));
}

/** True when policy and tier allow a model that failed an earlier stage. */
function isAllowed(id: string, search: FailedSearch): boolean {
  const target = targetsOf(search.input.catalog).find(({ model }) => model.id === id);
  if (target === undefined || !tierAllows(search.tier, id)) return false;
  const { model, upstream } = target;
  return modelDenial(search.input.policy, { model, provider: upstream.provider }) === undefined;
}

function unavailable(exclusions: readonly Exclusion[]): string {
  const reasons = exclusions.filter((exclusion) => exclusion.stage === "available")
    .map((exclusion) => `${exclusion.model} ${exclusion.reason}`);
  return `No model that could serve this request is available now: ${
    reasons.slice(0, 3).join("; ")
  }`;
}

function soonest(input: RoutingInput, exclusions: readonly Exclusion[]): number | undefined {
  const waits = exclusions.filter((exclusion) => exclusion.stage === "available")
    .map((exclusion) => retryAfterOf(input, exclusion.model))
    .filter((waitMs) => waitMs !== undefined);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** True when the providers of all suitable models limit their rate. */
function areRateLimited(
  { catalog, pool }: RoutingInput,
  exclusions: readonly Exclusion[],
): boolean {
  const disabled = new Set(catalog.models.filter((model) => model.disabled).map(({ id }) => id));
  return exclusions.every(({ model, stage }) =>
    stage !== "available" || disabled.has(model) || pool.get(model)?.rateLimited === true
  );
}

/**
 * Returns the field whose need no model of the endpoint meets; else the field of the first need.
 */
function unmetPath({ catalog, features }: RoutingInput): string | undefined {
  const { endpoint, needs, needPaths = {} } = features;
  const serving = catalog.models.filter((model) => model.endpoints.includes(endpoint));
  if (serving.length === 0) return undefined;
  const unmet =
    needs.find((need) => !serving.some(({ featureTags }) => featureTags.includes(need))) ??
      needs[0];
  return unmet === undefined ? undefined : needPaths[unmet];
}

/** Returns the time until a model may be available; `undefined` for a disabled one. */
function retryAfterOf(input: RoutingInput, id: string): number | undefined {
  const disabled = input.catalog.models.some((model) => model.id === id && model.disabled);
  return disabled ? undefined : input.pool.get(id)?.retryAfterMs;
}

function incapable(input: RoutingInput, exclusions: readonly Exclusion[]): string {
  const { endpoint, needs } = input.features;
  if (exclusions.every((exclusion) => exclusion.stage === "endpoint")) {
    return `No model in the catalog serves the endpoint "${endpoint}"`;
  }
  const needsText = needs.map((need) => `"${need}"`).join(" and ");
  return `No model in the catalog that serves the endpoint "${endpoint}" offers ${needsText}`;
}

function tooLong(search: FailedSearch): string {
  const { features } = search.input;
  if (features.longestInputTokens !== undefined) {
    return `The longest input has some ${features.longestInputTokens} tokens, ` +
      "more than any model that this key may use reads at once";
  }
  const requestedTokens = features.requestedOutputTokens;
  const output = requestedTokens === undefined
    ? ""
    : ` and the ${requestedTokens} tokens of output asked for`;
  return `The input of some ${search.likelyTokens} tokens${output} ` +
    "is more than any model that this key may use can hold";
}

function denied(capable: readonly Exclusion[], tier: Tier): string {
  if (capable.every((exclusion) => exclusion.stage === "tier")) {
    return `The tier "${tier.id}" has no model that could serve this request`;
  }
  const [first] = capable.filter((exclusion) =>
    exclusion.stage === "policy" || exclusion.stage === "tier"
  );
  const example = first === undefined ? "" : `: ${first.model} ${first.reason}`;
  return `The key's policy leaves no model for this request${example}`;
}
