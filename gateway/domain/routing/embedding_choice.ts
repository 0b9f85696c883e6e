/**
 * The choice of the embedding model at the first call of a key.
 *
 * @module
 */

import type { Catalog } from "../catalog/catalog.ts";
import type { KeyPolicy } from "../policy/policy.ts";
import type { Wallet } from "../ledger/ledger.ts";
import type { RequestFeatures } from "../requests/features.ts";
import type { AutoChoice } from "./auto.ts";
import type { RoutingPlan } from "./plan.ts";
import { route } from "./route.ts";

/** More than any request costs. */
const PLENTY = 2n ** 62n;

/**
 * Returns a plan whose first candidate is the model to pin. It depends on the catalog, the policy, the
 * tier, and what the request needs and chooses alone: an upstream that is down, a low wallet or a used budget of
 * one moment must not bind a key for good, so they change nothing here.
 */
export function chooseEmbeddingModel(
  { catalog, choice, features, policy, tier, nowMs }: {
    readonly catalog: Catalog;
    readonly features: RequestFeatures;
    readonly policy: KeyPolicy;
    /** Id of the wallet's tier. */
    readonly tier: string;
    readonly nowMs: number;
    /** The caller's own choice, which the policy allows. */
    readonly choice?: AutoChoice | undefined;
  },
): RoutingPlan {
  const none = { held: 0n, spent: 0n, writtenOff: 0n, createdAtMs: 0 };
  const wallet: Wallet = { id: "", tier, credits: PLENTY, available: PLENTY, ...none };
  return route({
    catalog,
    features,
    policy: { ...policy, maxChargePerRequest: undefined },
    wallet,
    choice,
    budget: {},
    pool: new Map(),
    // In the middle: nothing is left to chance.
    seed: 0.5,
    nowMs,
  });
}
