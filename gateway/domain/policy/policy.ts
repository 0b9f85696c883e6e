/**
 * What a key may do. A policy only ever takes away: an absent field restricts nothing.
 *
 * @module
 */

import { type Dialect, DIALECTS, type Endpoint } from "@svc/sdk/protocol";
import type { Model } from "../catalog/catalog.ts";
import type { RequestFeatures } from "../requests/features.ts";
import { rangeWithin } from "./ip_range.ts";
import { parseCredits } from "../ledger/money.ts";

/** Caps of what a key may spend, in credits as decimal strings. Days and months are UTC. */
export interface KeyBudget {
  readonly day?: string | undefined;
  readonly month?: string | undefined;
  readonly total?: string | undefined;
}

/** When requests are split into sub-tasks, and the most that their streams carry. */
export interface OrchestrationPolicy {
  readonly mode: "off" | "auto" | "always";
  /** A ceiling: `final`, the answer alone, is below `all`, the text of sub-tasks too. */
  readonly stream: "all" | "final";
}

/** Values of a key's policy for the dialect of its calls: `auto` leaves it to each call. */
export const DIALECT_POLICIES = ["auto", ...DIALECTS] as const;

/** The policy of a key. */
export interface KeyPolicy {
  readonly endpoints?: readonly Endpoint[] | undefined;
  /** Catalog ids. */
  readonly models?: readonly string[] | undefined;
  readonly providers?: readonly string[] | undefined;
  /** A model needs one of these. */
  readonly featureTags?: readonly string[] | undefined;
  /** The wallet's tier, or the highest of these below it, applies. */
  readonly tiers?: readonly string[] | undefined;
  /** A model needs one of these. */
  readonly industryPacks?: readonly string[] | undefined;
  readonly hostedTools?: readonly string[] | undefined;
  /** Credits, decimal string. */
  readonly maxChargePerRequest?: string | undefined;
  readonly budget?: KeyBudget | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly concurrentRequests?: number | undefined;
  /** CIDR ranges, IPv4 or IPv6, that requests may come from. */
  readonly ipRanges?: readonly string[] | undefined;
  /** ISO 8601 time after which the key is refused. */
  readonly expiresAt?: string | undefined;
  /** @default {{ mode: "auto", stream: "all" }} */
  readonly orchestration?: OrchestrationPolicy | undefined;
  /**
   * The dialect of answers for callers who do not state one. It takes nothing away.
   *
   * @default {"auto"}
   */
  readonly dialect?: "auto" | Dialect | undefined;
}

/** What applies where a policy says nothing of orchestration. */
export const DEFAULT_ORCHESTRATION: OrchestrationPolicy = { mode: "auto", stream: "all" };

/** Why a policy refuses a request whatever the model; `undefined` where it does not. */
export function requestDenial(
  policy: KeyPolicy,
  features: Pick<RequestFeatures, "endpoint" | "hostedTools">,
): string | undefined {
  if (policy.endpoints !== undefined && !policy.endpoints.includes(features.endpoint)) {
    return `The key's policy does not allow the endpoint "${features.endpoint}"`;
  }
  const tool = features.hostedTools.find((type) => policy.hostedTools?.includes(type) === false);
  if (tool !== undefined) return `The key's policy does not allow the hosted tool "${tool}"`;
  return undefined;
}

/** Why a policy excludes a model; `undefined` where it does not. */
export function modelDenial(
  policy: KeyPolicy,
  target: { readonly model: Model; readonly provider: string },
): string | undefined {
  const { model, provider } = target;
  if (policy.models?.includes(model.id) === false) return "not among the policy's models";
  if (policy.providers?.includes(provider) === false) {
    return `provider "${provider}" is not among the policy's providers`;
  }
  if (policy.featureTags !== undefined && !intersect(policy.featureTags, model.featureTags)) {
    return `carries none of the policy's feature tags (${policy.featureTags.join(", ")})`;
  }
  if (policy.industryPacks !== undefined && !intersect(policy.industryPacks, model.industryPacks)) {
    return `is in none of the policy's industry packs (${policy.industryPacks.join(", ")})`;
  }
  return undefined;
}

function intersect(a: readonly string[], b: readonly string[]): boolean {
  return a.some((item) => b.includes(item));
}

/**
 * Where a policy allows more than another: the paths that widen, none where it is the same or
 * stricter. Orchestration that is absent is the default; `off`, `auto`, `always` widen in this
 * order, and so do `final`, `all`. A dialect may differ: each says the same in other words, and the
 * text of tasks is bounded by `orchestration.stream`.
 */
export function violationsOf(candidate: KeyPolicy, original: KeyPolicy): string[] {
  const paths: string[] = [];
  for (const field of LIST_FIELDS) {
    paths.push(...widenedItems(candidate[field], original[field]).map((item) => field + item));
  }
  if (original.ipRanges !== undefined) {
    if (candidate.ipRanges === undefined) paths.push("ipRanges");
    for (const [index, range] of (candidate.ipRanges ?? []).entries()) {
      if (!rangeWithin(range, original.ipRanges)) paths.push(`ipRanges.${index}`);
    }
  }
  if (raises(candidate.maxChargePerRequest, original.maxChargePerRequest)) {
    paths.push("maxChargePerRequest");
  }
  for (const window of ["day", "month", "total"] as const) {
    if (raises(candidate.budget?.[window], original.budget?.[window])) {
      paths.push(`budget.${window}`);
    }
  }
  for (const field of NUMBER_FIELDS) {
    const limit = original[field];
    if (limit !== undefined && (candidate[field] ?? Infinity) > limit) paths.push(field);
  }
  if (original.expiresAt !== undefined) {
    const lasts = Date.parse(candidate.expiresAt ?? "");
    if (!(lasts <= Date.parse(original.expiresAt))) paths.push("expiresAt");
  }
  const wanted = candidate.orchestration ?? DEFAULT_ORCHESTRATION;
  const allowed = original.orchestration ?? DEFAULT_ORCHESTRATION;
  if (MODES.indexOf(wanted.mode) > MODES.indexOf(allowed.mode)) paths.push("orchestration.mode");
  if (wanted.stream === "all" && allowed.stream === "final") paths.push("orchestration.stream");
  return paths;
}

const LIST_FIELDS = [
  "endpoints",
  "models",
  "providers",
  "featureTags",
  "tiers",
  "industryPacks",
  "hostedTools",
] as const;
const NUMBER_FIELDS = ["requestsPerMinute", "tokensPerMinute", "concurrentRequests"] as const;
const MODES: readonly OrchestrationPolicy["mode"][] = ["off", "auto", "always"];

/** Path suffixes of what the original does not list: of the items, or of the whole list. */
function widenedItems(
  candidate: readonly string[] | undefined,
  original: readonly string[] | undefined,
): readonly string[] {
  if (original === undefined) return [];
  if (candidate === undefined) return [""];
  return candidate.flatMap((item, index) => original.includes(item) ? [] : [`.${index}`]);
}

/** Whether a cap in credits is above another. What cannot be read caps nothing, so it widens. */
function raises(candidate: string | undefined, original: string | undefined): boolean {
  const limit = original === undefined ? undefined : parseCredits(original);
  if (limit === undefined) return false;
  const cap = candidate === undefined ? undefined : parseCredits(candidate);
  return cap === undefined || cap > limit;
}
