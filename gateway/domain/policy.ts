/**
 * What a key may do. A policy only ever takes away: an absent field restricts nothing.
 *
 * @module
 */

import type { Endpoint } from "@svc/sdk/protocol";

/** Caps of what a key may spend, in credits as decimal strings. Days and months are UTC. */
export interface KeyBudget {
  readonly day?: string | undefined;
  readonly month?: string | undefined;
  readonly total?: string | undefined;
}

/** Whether requests may be split into sub-tasks, and what their streams carry. */
export interface OrchestrationPolicy {
  readonly mode: "off" | "auto" | "always";
  /** `all`: sub-task text too; `final`: for clients that cannot filter. */
  readonly stream: "all" | "final";
}

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
}
