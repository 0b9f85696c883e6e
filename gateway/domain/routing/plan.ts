/**
 * Input and result of a routing decision.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { Catalog, Model, Tier, UpstreamConfig } from "../catalog/catalog.ts";
import type { BudgetMicros, KeySpend, Wallet } from "../ledger/ledger.ts";
import type { Micros } from "../ledger/money.ts";
import type { FrozenPrice } from "../ledger/pricing.ts";
import type { KeyPolicy } from "../policy/policy.ts";
import type { RequestFeatures } from "../requests/features.ts";
import type { LimitCause } from "./hold_shape.ts";

/** What the pool knows of one model at its upstream. */
export interface TargetState {
  readonly available: boolean;
  /** Where it is not: why, in words for the operator. */
  readonly reason?: string | undefined;
  /** Where it is not: milliseconds until it may be. */
  readonly retryAfterMs?: number | undefined;
  /** It is not available since its provider limits the rate. */
  readonly rateLimited?: boolean | undefined;
  /** Where it is not: only calls under way stand in the way, so its turn comes with the end of one. */
  readonly busy?: boolean | undefined;
  /** Moving average of time to first byte; absent where nothing was observed. */
  readonly latencyMs?: number | undefined;
  /** Failures in a row; absent where the last attempt did not fail. No decision depends on it. */
  readonly failures?: number | undefined;
}

/** Everything a routing decision depends on. */
export interface RoutingInput {
  readonly catalog: Catalog;
  readonly features: RequestFeatures;
  readonly policy: KeyPolicy;
  readonly wallet: Wallet;
  readonly spend?: KeySpend | undefined;
  readonly budget: BudgetMicros;
  /** By model id; a model not in it counts as available. */
  readonly pool: ReadonlyMap<string, TargetState>;
  /** The model that answered this conversation last. */
  readonly stickyModel?: string | undefined;
  /** Uniform in [0, 1): breaks ties between equals. */
  readonly seed: number;
  readonly nowMs: number;
}

/** Steps of the filter, in order: a model is excluded by the first it fails. */
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

/** A model that was looked at and left out. */
export interface Exclusion {
  readonly model: string;
  readonly stage: RoutingStage;
  readonly reason: string;
}

/** A model that can serve the request, and what to hold for it. */
export interface Candidate {
  readonly model: Model;
  readonly upstream: UpstreamConfig;
  readonly price: FrozenPrice;
  /** Estimate with margin, in tokens. */
  readonly inputTokens: number;
  /** Those of `inputTokens` that are of images. */
  readonly imageInputTokens: number;
  /** Those of `inputTokens` that are of images, recordings and files: no text to be counted. */
  readonly mediaInputTokens: number;
  /** Most output over all choices that `holdAmount` pays for, in tokens. */
  readonly outputTokens: number;
  /** Reserve this much; */
  readonly holdAmount: Micros;
  /** or at the least this, which pays for min(requested, 16) tokens of output a choice. */
  readonly holdMinimum: Micros;
  /** The limit to send in tokens a choice, where the caller's own is absent or too high. */
  readonly outputLimit?: number | undefined;
  /** Why it is sent. */
  readonly limitedBy?: LimitCause | undefined;
  readonly score: number;
  /** Its place among the candidates, for `reasonOf`. */
  readonly standing: Standing;
}

/** Where a candidate stands among the others. */
export interface Standing {
  /** From 1 on. */
  readonly place: number;
  /** Of so many. */
  readonly count: number;
  /** Of the request. */
  readonly difficulty: number;
  /** It answered the conversation last. */
  readonly stays: boolean;
  /** As the pool had observed it. */
  readonly latencyMs: number | undefined;
}

/** The decision. */
export type RoutingPlan =
  | {
    readonly ok: true;
    readonly tier: Tier;
    /** Best first; never empty. */
    readonly candidates: readonly Candidate[];
    readonly exclusions: readonly Exclusion[];
    readonly considered: number;
  }
  | {
    readonly ok: false;
    readonly code: ErrorCode;
    /** What the caller is told. */
    readonly message: string;
    /** Path of the field that stands in the way. */
    readonly param?: string | undefined;
    readonly retryAfterMs?: number | undefined;
    readonly exclusions: readonly Exclusion[];
    readonly considered: number;
  };

/** Steps of the filter, in order. */
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
