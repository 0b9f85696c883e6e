/**
 * Computes the models and endpoints that a policy reaches, by routing the smallest request of each
 * endpoint.
 *
 * @module
 */

import type { HostedToolType } from "../requests/hosted_tool_types.ts";
import type { Endpoint } from "@svc/sdk/protocol";
import type { Catalog } from "../catalog/catalog.ts";
import { chatFeatures, type RequestFeatures } from "../requests/features.ts";
import { embeddingFeatures } from "../requests/embedding_features.ts";
import { imageFeatures } from "../requests/image_features.ts";
import type { BudgetMicros, Wallet } from "../ledger/ledger.ts";
import { type KeyPolicy, requestDenial } from "./policy.ts";
import { route } from "../routing/route.ts";
import type { Exclusion, RoutingPlan } from "../routing/plan.ts";
import { effectiveTier } from "./tiers.ts";

/** Reach of a policy at one endpoint. */
export interface EndpointReach {
  readonly endpoint: Endpoint;
  /** Catalog ids of the models that can serve the endpoint. */
  readonly models: readonly string[];
  /** Reason for an empty list; absent otherwise. */
  readonly reason?: string | undefined;
}

/** Reach of a policy at one model. */
export interface ModelReach {
  readonly id: string;
  readonly provider: string;
  /** Endpoints at which the model can serve; empty when it is excluded. */
  readonly endpoints: readonly Endpoint[];
  /** Reason for the exclusion; absent otherwise. */
  readonly reason?: string | undefined;
}

/** Everything that a policy allows. */
export interface PolicyReach {
  /** The applicable tier; absent when none applies. */
  readonly tier?: string | undefined;
  readonly endpoints: readonly EndpointReach[];
  readonly models: readonly ModelReach[];
  readonly hostedTools: readonly { readonly type: HostedToolType; readonly allowed: boolean }[];
}

/** Input of {@linkcode reachOf}. */
export interface ReachInput {
  readonly catalog: Catalog;
  readonly policy: KeyPolicy;
  readonly budget: BudgetMicros;
  /** Id of the wallet's tier. */
  readonly walletTier: string;
  readonly endpoints: readonly Endpoint[];
  readonly hostedTools: readonly HostedToolType[];
  readonly nowMs: number;
}

/** More than any request costs: the wallet's present balance must not affect the result. */
const PLENTY = 2n ** 62n;

/**
 * Returns the models and endpoints that a key with this policy reaches, whatever its wallet holds
 * and whichever upstreams are available. Decided by {@linkcode route}, as for every request.
 */
export function reachOf(input: ReachInput): PolicyReach {
  const { catalog, policy, walletTier, endpoints, hostedTools } = input;
  const resolution = effectiveTier(policy, walletTier, catalog);
  const plans = endpoints.map((endpoint) => ({ endpoint, plan: planOf(endpoint, input) }));
  return {
    tier: resolution.ok ? resolution.tier.id : undefined,
    endpoints: plans.map(({ endpoint, plan }) => ({
      endpoint,
      models: modelsOf(plan),
      reason: plan.ok ? undefined : plan.message,
    })),
    models: modelReach(catalog, plans),
    hostedTools: hostedTools.map((type) => ({
      type,
      allowed: ["chat", "responses"].some((endpoint) =>
        endpoints.some((candidate) =>
          candidate === endpoint &&
          requestDenial(policy, { endpoint: candidate, hostedTools: [type] }) === undefined
        )
      ),
    })),
  };
}

interface EndpointPlan {
  readonly endpoint: Endpoint;
  readonly plan: RoutingPlan;
}

function planOf(endpoint: Endpoint, input: ReachInput): RoutingPlan {
  const { catalog, policy, budget, walletTier, nowMs } = input;
  const features = smallest(endpoint);
  return route({
    catalog,
    policy,
    budget,
    features,
    wallet: plentiful(walletTier),
    pool: new Map(),
    seed: 0,
    nowMs,
  });
}

function plentiful(tier: string): Wallet {
  const none = { held: 0n, spent: 0n, writtenOff: 0n, createdAtMs: 0 };
  return { id: "", tier, credits: PLENTY, available: PLENTY, ...none };
}

function smallest(endpoint: Endpoint): RequestFeatures {
  if (endpoint === "images.generations" || endpoint === "images.edits") {
    return imageFeatures(endpoint, { model: "auto", prompt: "." });
  }
  if (endpoint === "embeddings") return embeddingFeatures({ model: "auto", input: "." });
  const request = { messages: [{ role: "user" as const, content: "." }], max_tokens: 1 };
  return { ...chatFeatures({ model: "auto", ...request }), endpoint };
}

function modelsOf(plan: RoutingPlan): readonly string[] {
  return plan.ok ? plan.candidates.map(({ model }) => model.id) : [];
}

function modelReach(catalog: Catalog, plans: readonly EndpointPlan[]): readonly ModelReach[] {
  const providers = new Map(catalog.upstreams.map(({ id, provider }) => [id, provider]));
  return catalog.models.map((model) => {
    const endpoints = plans.filter(({ plan }) => modelsOf(plan).includes(model.id))
      .map(({ endpoint }) => endpoint);
    const provider = providers.get(model.upstream) ?? model.upstream;
    if (endpoints.length > 0) return { id: model.id, provider, endpoints };
    const served = plans.filter(({ endpoint }) => model.endpoints.includes(endpoint));
    return { id: model.id, provider, endpoints, reason: reasonOf(model.id, served) };
  });
}

/**
 * Returns why a model is excluded at the endpoints that it serves: the reason of the latest stage.
 */
function reasonOf(model: string, plans: readonly EndpointPlan[]): string {
  const exclusions = plans.flatMap(({ plan }) =>
    plan.exclusions.filter((exclusion: Exclusion) => exclusion.model === model)
  );
  const refused = plans.find(({ plan }) => !plan.ok && plan.exclusions.length === 0)?.plan;
  return exclusions[0]?.reason ??
    (refused?.ok === false ? refused.message : "serves none of the endpoints");
}
