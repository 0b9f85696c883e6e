/**
 * Input and result of a routing decision.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { Catalog, Model, Tier, UpstreamConfig } from "../catalog/catalog.ts";
import type { ProviderTraits, TraitsOf } from "../catalog/provider_traits.ts";
import type { BudgetMicros, KeySpend, NamedBudget, Wallet } from "../ledger/ledger.ts";
import type { Micros } from "../ledger/money.ts";
import type { FrozenPrice } from "../ledger/pricing.ts";
import type { KeyPolicy } from "../policy/policy.ts";
import type { RequestFeatures } from "../requests/features.ts";
import type { Estimate } from "../learning/estimate.ts";
import type { RouteSample } from "../learning/statistics.ts";
import type { RoutingSnapshot } from "../learning/snapshot.ts";
import type { AutoChoice } from "./auto.ts";
import type { Dial } from "./dial.ts";
import type { LimitCause } from "./hold_shape.ts";

/** State of one model at its upstream, as observed by the pool. */
export interface TargetState {
  readonly available: boolean;
  /** Reason for being unavailable, in words for the operator. */
  readonly reason?: string | undefined;
  /** Milliseconds until an unavailable target may be available. */
  readonly retryAfterMs?: number | undefined;
  /** True when the target is unavailable because of its provider's rate limit. */
  readonly rateLimited?: boolean | undefined;
  /**
   * True when only calls in flight make the target unavailable, so that the end of one frees it.
   */
  readonly busy?: boolean | undefined;
  /** Moving average of time to first byte; absent without observations. */
  readonly latencyMs?: number | undefined;
  /** Consecutive failures; absent after a success. No decision depends on it. */
  readonly failures?: number | undefined;
}

/** The facts that a routing decision depends on. */
export interface RoutingInput {
  readonly catalog: Catalog;
  readonly features: RequestFeatures;
  readonly policy: KeyPolicy;
  readonly wallet: Wallet;
  readonly spend?: KeySpend | undefined;
  readonly budget: BudgetMicros;
  /** Budgets of the names of the call; absent without one. */
  readonly named?: readonly NamedBudget[] | undefined;
  /** State by model id; an absent model counts as available. */
  readonly pool: ReadonlyMap<string, TargetState>;
  /** The model that answered this conversation last. */
  readonly stickyModel?: string | undefined;
  /** Traits of the kinds of upstreams. @default {no kind has any} */
  readonly traitsOf?: TraitsOf | undefined;
  /** Statistics of earlier requests. @default {none} */
  readonly snapshot?: RoutingSnapshot | undefined;
  /** Fingerprint of the request's task. @default {the request belongs to no task} */
  readonly task?: string | undefined;
  /** The header `X-Auto`; the policy allows it. */
  readonly choice?: AutoChoice | undefined;
  /**
   * Uniform in [0, 1), from a keyed hash of the gateway's own id of the call: breaks ties and decides
   * about exploration.
   */
  readonly seed: number;
  readonly nowMs: number;
}

/** Stages of the filter, in order: a model is excluded by the first stage that it fails. */
export type RoutingStage =
  | "endpoint"
  | "modality"
  | "tools"
  | "json"
  | "context"
  | "policy"
  | "tier"
  | "price"
  | "affordable"
  | "available";

/** A model that was considered and excluded. */
export interface Exclusion {
  readonly model: string;
  readonly stage: RoutingStage;
  readonly reason: string;
}

/** A model that can serve the request, and the hold for it. */
export interface Candidate {
  readonly model: Model;
  readonly upstream: UpstreamConfig;
  /** Traits of the upstream's kind. */
  readonly traits: ProviderTraits;
  readonly price: FrozenPrice;
  /** Estimated input with margin, in tokens. */
  readonly inputTokens: number;
  /** Part of `inputTokens` that belongs to images. */
  readonly imageInputTokens: number;
  /** Part of `inputTokens` that belongs to images, recordings and files, which are not text. */
  readonly mediaInputTokens: number;
  /** Maximum output over all choices that `holdAmount` pays for, in tokens. */
  readonly outputTokens: number;
  /** Preferred amount of the hold. */
  readonly holdAmount: Micros;
  /** Minimum amount of the hold, which pays for min(requested, 16) tokens of output per choice. */
  readonly holdMinimum: Micros;
  /** Output limit to send, in tokens per choice, if the caller's own is absent or too high. */
  readonly outputLimit?: number | undefined;
  /** Reason for that limit. */
  readonly limitedBy?: LimitCause | undefined;
  readonly score: number;
  /** Rank among the candidates, for `reasonOf`. */
  readonly ranking: Ranking;
}

/** The rank of a candidate with the facts that explain it. */
export interface Ranking {
  /** Rank, from 1. */
  readonly rank: number;
  /** Number of candidates. */
  readonly count: number;
  /** Difficulty of the request. */
  readonly difficulty: number;
  /** True when the model is first only because it answered the conversation last. */
  readonly isSticky: boolean;
  /** Latency as observed by the pool. */
  readonly latencyMs: number | undefined;
  readonly estimate: Estimate;
  /** Expected price of the request, in credits, for comparison only. */
  readonly price: number;
  readonly dial: Dial;
  /** True when the model is tried to learn about it. */
  readonly isExplored: boolean;
  /** True when no other model may serve the request. @default {false} */
  readonly isPinned?: boolean | undefined;
}

/** Ways in which the first candidate was chosen. */
export type PlanKind = "value" | "conversation" | "exploration" | "verified";

/** The facts that a decision rests on, as metadata and log name them. */
export interface Basis {
  /** Number of the snapshot; 0 without one. */
  readonly snapshot: number;
  readonly task: string | undefined;
  readonly dial: Dial;
  readonly kind: PlanKind;
  /** The decision as a sample for measuring the share of cost; absent where nothing is priced. */
  readonly sample: RouteSample | undefined;
}

/** Models that verify each other: see `learning/ladder_plans.ts`. */
export interface Ladder {
  /** Asked in this order: two at once, then at most one more. */
  readonly cheap: readonly Candidate[];
  /** Answers where no two of them agree. */
  readonly better: Candidate;
  /** Estimated probability of a good answer. */
  readonly p: number;
  /** Audits of the task that chose the models; 0: they are the default pair. */
  readonly audits: number;
}

/** A ladder with the plan that serves where the answer cannot be verified. */
export interface ChosenLadder extends Ladder {
  readonly instead: Exclude<PlanKind, "verified">;
}

/** The decision. */
export type RoutingPlan =
  | {
    readonly ok: true;
    readonly tier: Tier;
    readonly basis: Basis;
    /** Set when the answer is to be verified; the candidates serve where that fails. */
    readonly ladder?: ChosenLadder | undefined;
    /** Best first; never empty. */
    readonly candidates: readonly Candidate[];
    readonly exclusions: readonly Exclusion[];
    readonly considered: number;
  }
  | {
    readonly ok: false;
    readonly code: ErrorCode;
    /** Message for the caller. */
    readonly message: string;
    /** Path of the field that causes the refusal. */
    readonly param?: string | undefined;
    readonly retryAfterMs?: number | undefined;
    readonly exclusions: readonly Exclusion[];
    readonly considered: number;
  };

/** Stages of the filter, in order. */
export const ROUTING_STAGES: readonly RoutingStage[] = [
  "endpoint",
  "modality",
  "tools",
  "json",
  "context",
  "policy",
  "tier",
  "price",
  "affordable",
  "available",
];
