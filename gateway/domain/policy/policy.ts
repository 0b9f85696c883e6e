/**
 * The policy of a key. Each field only restricts: an absent field restricts nothing.
 *
 * @module
 */

import { type Dialect, DIALECTS, type Endpoint } from "@svc/sdk/protocol";
import type { Model } from "../catalog/catalog.ts";
import type { RequestFeatures } from "../requests/features.ts";
import { type AutoPolicy, VERIFY_MODES } from "../routing/auto.ts";
import { type FilePolicy, widenedFiles } from "./file_quota.ts";
import { rangeWithin } from "./ip_range.ts";
import { type BudgetPolicy, raises, widenedBudgets } from "./key_budget.ts";

/** Conditions for splitting requests into tasks, and the maximum content of their streams. */
export interface OrchestrationPolicy {
  readonly mode: "off" | "auto" | "always";
  /** A maximum: `final`, the answer alone, is below `all`, which adds the text of tasks. */
  readonly stream: "all" | "final";
}

/** The embedding model of a key. */
export interface EmbeddingPolicy {
  /** Catalog id. */
  readonly model: string;
  /** Length of the vectors. @default {the one of the first answer} */
  readonly dimensions?: number | undefined;
}

/** Values of a policy's dialect: `auto` leaves it to each call. */
export const DIALECT_POLICIES = ["auto", ...DIALECTS] as const;

/** Values of a policy's `wallet`: `hidden` keeps the wallet from the key's holder. */
export const WALLET_SIGHTS = ["shown", "hidden"] as const;
/** One of {@linkcode WALLET_SIGHTS}. */
export type WalletSight = (typeof WALLET_SIGHTS)[number];

/** The policy of a key. */
export interface KeyPolicy extends BudgetPolicy {
  readonly endpoints?: readonly Endpoint[] | undefined;
  /** Catalog ids. */
  readonly models?: readonly string[] | undefined;
  readonly providers?: readonly string[] | undefined;
  /** A model must have at least one of these. */
  readonly featureTags?: readonly string[] | undefined;
  /** The wallet's tier applies, or the highest of these below it. */
  readonly tiers?: readonly string[] | undefined;
  /** A model must have at least one of these. */
  readonly industryPacks?: readonly string[] | undefined;
  readonly hostedTools?: readonly string[] | undefined;
  /** Credits, decimal string. */
  readonly maxChargePerRequest?: string | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly concurrentRequests?: number | undefined;
  /** CIDR ranges, IPv4 or IPv6, of permitted callers. */
  readonly ipRanges?: readonly string[] | undefined;
  /** ISO 8601 time after which the key is refused. */
  readonly expiresAt?: string | undefined;
  /** @default {{ mode: "auto", stream: "all" }} */
  readonly orchestration?: OrchestrationPolicy | undefined;
  /** Dialect of responses for callers who do not state one. Restricts nothing. @default {"auto"} */
  readonly dialect?: "auto" | Dialect | undefined;
  /** Choice of models: the dial, verified answers, audits. */
  readonly auto?: AutoPolicy | undefined;
  /** Sight of the wallet for the key's holder. @default {"shown"} */
  readonly wallet?: WalletSight | undefined;
  /** Room for the wallet's files and vector stores. @default {DEFAULT_FILE_QUOTA} */
  readonly files?: FilePolicy | undefined;
  /** The embedding model of the key. @default {the one of its first call} */
  readonly embeddings?: EmbeddingPolicy | undefined;
}

/** Default of a policy without orchestration. */
export const DEFAULT_ORCHESTRATION: OrchestrationPolicy = { mode: "auto", stream: "all" };

/** Returns why a policy refuses a request whatever the model; `undefined` when it does not. */
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

/** Returns why a policy excludes a model; `undefined` when it does not. */
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
 * Returns the paths at which a policy allows more than another; none when it is the same or
 * stricter. Absent orchestration is the default; `off`, `auto`, `always` widen in this order, and
 * so do `final`, `all`. A dialect and the position of the dial may differ: they change the form of a
 * response and the choice among allowed models. `orchestration.stream` bounds the text of tasks.
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
  paths.push(...widenedBudgets(candidate, original));
  for (const field of NUMBER_FIELDS) {
    const limit = original[field];
    if (limit !== undefined && (candidate[field] ?? Infinity) > limit) paths.push(field);
  }
  if (original.expiresAt !== undefined) {
    const lasts = Date.parse(candidate.expiresAt ?? "");
    if (!(lasts <= Date.parse(original.expiresAt))) paths.push("expiresAt");
  }
  const orchestration = candidate.orchestration ?? DEFAULT_ORCHESTRATION;
  const allowed = original.orchestration ?? DEFAULT_ORCHESTRATION;
  if (MODES.indexOf(orchestration.mode) > MODES.indexOf(allowed.mode)) {
    paths.push("orchestration.mode");
  }
  if (orchestration.stream === "all" && allowed.stream === "final") {
    paths.push("orchestration.stream");
  }
  if (original.wallet === "hidden" && candidate.wallet !== "hidden") paths.push("wallet");
  paths.push(...widenedFiles(candidate, original));
  paths.push(...changedEmbeddings(candidate, original));
  return [...paths, ...widenedAuto(candidate.auto ?? {}, original.auto ?? {})];
}

/** Returns the paths under `embeddings` that differ: stored vectors would no longer compare. */
function changedEmbeddings(candidate: KeyPolicy, original: KeyPolicy): string[] {
  const [now, before] = [candidate.embeddings, original.embeddings];
  if (before === undefined) return [];
  if (now?.model !== before.model) return ["embeddings.model"];
  return before.dimensions === undefined || now.dimensions === before.dimensions
    ? []
    : ["embeddings.dimensions"];
}

/** Returns the paths under `auto` at which a policy allows more than another. */
function widenedAuto(candidate: AutoPolicy, original: AutoPolicy): string[] {
  const paths: string[] = [];
  if ((candidate.maxDial ?? 1) > (original.maxDial ?? 1)) paths.push("auto.maxDial");
  if ((candidate.qualityFloor ?? 0) < (original.qualityFloor ?? 0)) paths.push("auto.qualityFloor");
  const modeOf = ({ verify = "request" }: AutoPolicy) => VERIFY_MODES.indexOf(verify);
  if (modeOf(candidate) > modeOf(original)) paths.push("auto.verify");
  if (candidate.audits === true && original.audits !== true) paths.push("auto.audits");
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

/** Returns the path suffixes of items, or of a whole list, that the original does not allow. */
function widenedItems(
  candidate: readonly string[] | undefined,
  original: readonly string[] | undefined,
): readonly string[] {
  if (original === undefined) return [];
  if (candidate === undefined) return [""];
  return candidate.flatMap((item, index) => original.includes(item) ? [] : [`.${index}`]);
}
