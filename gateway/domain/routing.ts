/**
 * Which models serve a request, in which order, and why not the others: one pure function.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { Catalog, Model, Tier, UpstreamConfig } from "./catalog.ts";
import type { RequestFeatures } from "./features.ts";
import type { BudgetMicros, KeySpend, Wallet } from "./ledger.ts";
import type { Micros } from "./money.ts";
import type { KeyPolicy } from "./policy.ts";
import type { FrozenPrice } from "./pricing.ts";

/** What the pool knows of one model at its upstream. */
export interface TargetState {
  readonly available: boolean;
  /** Where it is not: why, in words for the operator. */
  readonly reason?: string | undefined;
  /** Where it is not: milliseconds until it may be. */
  readonly retryAfterMs?: number | undefined;
  /** Moving average of time to first byte; absent where nothing was observed. */
  readonly latencyMs?: number | undefined;
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
  /** Most output over all choices that `holdAmount` pays for, in tokens. */
  readonly outputTokens: number;
  /** Reserve this much; */
  readonly holdAmount: Micros;
  /** or at the least this, which pays for min(requested, 16) tokens of output a choice. */
  readonly holdMinimum: Micros;
  /** Set where the wallet cannot buy what was asked for: the limit to send, in tokens a choice. */
  readonly outputLimit?: number | undefined;
  readonly score: number;
  /** One sentence: why it stands where it stands. */
  readonly reason: string;
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
    readonly retryAfterMs?: number | undefined;
    readonly exclusions: readonly Exclusion[];
    readonly considered: number;
  };
