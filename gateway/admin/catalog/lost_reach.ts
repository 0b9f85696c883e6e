/**
 * Models and endpoints that keys lose by a change of the catalog, as routing decides it.
 *
 * @module
 */

import type { Catalog } from "../../domain/catalog/catalog.ts";
import { type KeyRecord, mayServe, serves } from "../../domain/policy/key.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { type PolicyReach, reachOf } from "../../domain/policy/reach.ts";
import { budgetOf } from "../../flows/plan/spending_cap.ts";
import { yieldToEventLoop } from "../../system/yield_to_event_loop.ts";
import { ENDPOINTS } from "../../domain/requests/endpoints.ts";

/** Maximum number of names in a sentence; further ones are counted. */
export const NAMED_MAX = 10;
/** New policies that are compared without a pause: some milliseconds. */
const POLICIES_AT_ONCE = 4;

/** Keys of which only some are named. */
export class KeyGroup {
  count = 0;
  /** The newest {@linkcode NAMED_MAX}, newest first. */
  readonly named: KeyRecord[] = [];

  add(key: KeyRecord): void {
    this.count++;
    const at = this.named.findIndex((other) => isNewer(key, other));
    this.named.splice(at < 0 ? this.named.length : at, 0, key);
    if (this.named.length > NAMED_MAX) this.named.pop();
  }
}

/** Keys with the same loss. */
export interface Loss {
  readonly keys: KeyGroup;
  /** Catalog ids of the models that they can use before the change and not after it. */
  readonly models: readonly string[];
  /** Endpoints that have a model for them before the change and none after it. */
  readonly endpoints: readonly string[];
}

/** Effects of a change on the keys. */
export interface LostReach {
  /** Keys that may serve, now or once they are enabled again, and would have no model. */
  readonly idle: KeyGroup;
  /** Losses of enabled keys that keep some model, grouped by equal loss. */
  readonly losses: readonly Loss[];
}

/** Both catalogs, and the keys that use them. */
export interface ReachChange {
  readonly before: Catalog;
  readonly after: Catalog;
  readonly keys: AsyncIterable<{ readonly record: KeyRecord }>;
  /** Tier of each wallet, by its id. */
  readonly tiers: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** Compares the models and endpoints of every key before and after a change of the catalog. */
export async function lostReach(change: ReachChange): Promise<LostReach> {
  const { before, after, keys, tiers, nowMs } = change;
  const idle = new KeyGroup();
  const losses = new Map<string, Loss>();
  const known = new Map<string, Pick<Loss, "models" | "endpoints"> | "nothing">();
  for await (const { record: key } of keys) {
    if (!mayServe(key, nowMs)) continue;
    const walletTier = tiers.get(key.walletId) ?? "";
    const policy = decidingPart(key.policy);
    const question = JSON.stringify([walletTier, policy]);
    let lost = known.get(question);
    if (lost === undefined) {
      const reach = (catalog: Catalog) => reachIn(catalog, { policy, walletTier, nowMs });
      lost = difference(reach(before), reach(after));
      known.set(question, lost);
      if (known.size % POLICIES_AT_ONCE === 0) await yieldToEventLoop();
    }
    if (lost === "nothing") idle.add(key);
    else if (serves(key, nowMs) && lost.models.length + lost.endpoints.length > 0) {
      const same = JSON.stringify(lost);
      const loss = losses.get(same) ?? { ...lost, keys: new KeyGroup() };
      loss.keys.add(key);
      losses.set(same, loss);
    }
  }
  return { idle, losses: [...losses.values()].sort(byNewest) };
}

function byNewest({ keys: { named: [a] } }: Loss, { keys: { named: [b] } }: Loss): number {
  return a !== undefined && b !== undefined && isNewer(a, b) ? -1 : 1;
}

function isNewer(a: KeyRecord, b: KeyRecord): boolean {
  return a.createdAtMs === b.createdAtMs ? a.id > b.id : a.createdAtMs > b.createdAtMs;
}

/**
 * Returns the part of a policy that decides its models: keys that differ elsewhere are compared
 * once.
 */
function decidingPart(policy: KeyPolicy): KeyPolicy {
  const { endpoints, models, providers, featureTags, tiers, industryPacks } = policy;
  const { maxChargePerRequest, budget } = policy;
  return {
    ...{ endpoints, models, providers, featureTags, tiers, industryPacks },
    ...{ maxChargePerRequest, budget },
  };
}

function reachIn(
  catalog: Catalog,
  key: { readonly policy: KeyPolicy; readonly walletTier: string; readonly nowMs: number },
): PolicyReach {
  return reachOf({
    ...key,
    catalog,
    budget: budgetOf(key.policy),
    endpoints: ENDPOINTS,
    hostedTools: [],
  });
}

/**
 * Returns the models and endpoints that only the first has; `nothing` where the second has no
 * model.
 */
function difference(
  before: PolicyReach,
  after: PolicyReach,
): Pick<Loss, "models" | "endpoints"> | "nothing" {
  const [had, has] = [before, after].map(({ models, endpoints }) => ({
    models: models.flatMap(({ id, endpoints }) => endpoints.length > 0 ? [id] : []),
    endpoints: endpoints.flatMap(({ endpoint, models }) => models.length > 0 ? [endpoint] : []),
  }));
  if (had === undefined || has === undefined || has.models.length === 0) return "nothing";
  const [models, endpoints] = [new Set(has.models), new Set(has.endpoints)];
  return {
    models: had.models.filter((id) => !models.has(id)),
    endpoints: had.endpoints.filter((id) => !endpoints.has(id)),
  };
}
