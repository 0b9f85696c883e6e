/**
 * The cost of audits, and the audits that a budget buys.
 *
 * @module
 */

import { SHARE_MAX } from "../routing/auto.ts";
import type { Quality } from "./expected_quality.ts";
import type { WalletStatistics } from "./statistics.ts";

/** Models that an audit asks at most: the best one and four cheap ones. */
const MODELS_MAX = 5;
/** Price beside the best model's up to which a model counts as cheap. */
const CHEAP_SHARE = 0.5;
const DAYS = 7;

/** The cost of one audit. */
export interface AuditCost {
  /** Credits. */
  readonly credits: number;
  /** Measured in audits, or estimated from the prices of samples. */
  readonly basis: "audits" | "samples";
}

/** Returns the mean cost of an audit at present; `undefined` without audits and samples. */
export function auditCostOf(
  wallets: readonly Pick<WalletStatistics, "audits" | "samples">[],
): AuditCost | undefined {
  const audits = wallets.flatMap(({ audits }) => audits);
  if (audits.length > 0) {
    const costs = audits.map(({ answers }) => answers.reduce((sum, { cost }) => sum + cost, 0));
    return { credits: meanOf(costs), basis: "audits" };
  }
  const samples = wallets.flatMap(({ samples }) => samples);
  if (samples.length === 0) return undefined;
  const costs = samples.map(({ price, spent = price, options }) => {
    const cheap = options.map(([, share]) => share).filter((share) => share <= CHEAP_SHARE)
      .toSorted((one, other) => other - one).slice(0, MODELS_MAX - 1);
    return spent * (1 + cheap.reduce((sum, share) => sum + share, 0));
  });
  return { credits: meanOf(costs), basis: "samples" };
}

/** The audits that a daily budget buys. */
export interface AuditPlan {
  readonly auditsPerDay: number;
  /** The bound that decides: the budget, or the highest share of requests that may be audited. */
  readonly limit: "budget" | "share";
  /** Standard error of a share of equal answers after a week; absent without audits. */
  readonly errorAfterWeek: number | undefined;
}

/**
 * Returns what a daily budget in credits buys at a cost of one audit, for traffic of a size and an
 * expected quality.
 */
export function auditPlanOf(
  budget: number,
  { cost, requestsPerDay, quality }: {
    /** Credits of one audit. */
    readonly cost: number;
    readonly requestsPerDay: number;
    readonly quality: Quality | undefined;
  },
): AuditPlan {
  const affordable = cost > 0 ? Math.floor(budget / cost + 1e-9) : Infinity;
  const allowed = Math.floor(SHARE_MAX * requestsPerDay);
  const auditsPerDay = Math.min(affordable, allowed);
  const p = quality?.p ?? 0.5;
  return {
    auditsPerDay,
    limit: affordable <= allowed ? "budget" : "share",
    errorAfterWeek: auditsPerDay === 0
      ? undefined
      : Math.sqrt(Math.max(p * (1 - p), 0.01) / (DAYS * auditsPerDay)),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
