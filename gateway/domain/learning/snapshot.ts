/**
 * Snapshots of the statistics: numbered, immutable, the same on all instances. A decision names the
 * snapshot it rests on, and the same snapshot decides the same for ever.
 *
 * @module
 */

import type { Dial } from "../routing/dial.ts";
import { MEASURED_DIALS } from "../routing/dial.ts";
import type { Evidence } from "./estimate.ts";
import { walletTotals } from "./estimate.ts";
import { measuredRateSteps } from "./measured_rates.ts";
import { type LadderPlan, ladderPlanSteps } from "./ladder_plans.ts";
import { atOnce, type Steps } from "../redaction/steps.ts";
import {
  addStatistics,
  DECAY_STEP_MS,
  NO_STATISTICS,
  type OutcomeSource,
  type WalletStatistics,
} from "./statistics.ts";
import { type TypicalPrice, typicalPriceOf } from "./typical_price.ts";

/** A wallet in a snapshot: its statistics, and what follows from them. */
export interface WalletSnapshot {
  /** Unix time in milliseconds up to which its outcomes have decayed. */
  readonly decayedAtMs: number;
  readonly statistics: WalletStatistics;
  /** Sums over all tasks, by model. */
  readonly totals: Evidence["wallet"];
  /** Exchange rates at {@linkcode MEASURED_DIALS}; absent while there are too few samples. */
  readonly rates?: readonly number[] | undefined;
  /** Prices of requests at their best allowed models; absent without samples. */
  readonly typicalPrice?: TypicalPrice | undefined;
  /** Plans of verified answers by task, best known first; `*` holds those of all tasks. */
  readonly plans: Readonly<Record<string, readonly LadderPlan[]>>;
}

/** One snapshot. */
export interface RoutingSnapshot {
  /** From 1; 0 is the snapshot without statistics. */
  readonly number: number;
  /** Unix time in milliseconds. */
  readonly takenAtMs: number;
  /** By wallet id. Statistics of different wallets are never combined. */
  readonly wallets: ReadonlyMap<string, WalletSnapshot>;
  /** Cursor of the last vote that it includes, as the store of votes names it; absent before one. */
  readonly votes?: string | undefined;
}

/** The snapshot of a service without statistics. */
export const EMPTY_SNAPSHOT: RoutingSnapshot = { number: 0, takenAtMs: 0, wallets: new Map() };

/** Facts of the catalog that a snapshot rests on. */
export interface SnapshotContext {
  readonly nowMs: number;
  /** Returns the quality of a model by the catalog; `undefined` for a model that is gone. */
  qualityOf(model: string): number | undefined;
  /** Sources of outcomes that count. */
  readonly sources: readonly OutcomeSource[];
  /** Cursor of the last vote among the additions. @default {as in the snapshot before} */
  readonly votes?: string | undefined;
}

/**
 * Returns the next snapshot: the previous one with the additions of the instances since then.
 * Wallets without an addition stay the same object.
 */
export function nextSnapshot(
  previous: RoutingSnapshot,
  additions: ReadonlyMap<string, WalletStatistics>,
  context: SnapshotContext,
): RoutingSnapshot {
  return atOnce(nextSnapshotSteps(previous, additions, context));
}

/** Computes the next snapshot in steps of some milliseconds, however many wallets have additions. */
export function* nextSnapshotSteps(
  previous: RoutingSnapshot,
  additions: ReadonlyMap<string, WalletStatistics>,
  context: SnapshotContext,
): Steps<RoutingSnapshot> {
  const wallets = new Map(previous.wallets);
  for (const [id, added] of additions) {
    const known = previous.wallets.get(id);
    const passedMs = known === undefined ? 0 : context.nowMs - known.decayedAtMs;
    const elapsedMs = passedMs < DECAY_STEP_MS ? 0 : passedMs;
    const statistics = addStatistics(known?.statistics ?? NO_STATISTICS, added, elapsedMs);
    yield;
    const decayedAtMs = elapsedMs === 0 ? known?.decayedAtMs : context.nowMs;
    wallets.set(id, yield* walletSnapshotSteps(statistics, context, decayedAtMs));
    yield;
  }
  const { nowMs: takenAtMs, votes = previous.votes } = context;
  const included = votes === undefined ? {} : { votes };
  return { number: previous.number + 1, takenAtMs, wallets, ...included };
}

/** Returns the snapshot of a wallet with these statistics. */
export function walletSnapshot(
  statistics: WalletStatistics,
  context: SnapshotContext,
): WalletSnapshot {
  return atOnce(walletSnapshotSteps(statistics, context));
}

function* walletSnapshotSteps(
  statistics: WalletStatistics,
  context: SnapshotContext,
  decayedAtMs = context.nowMs,
): Steps<WalletSnapshot> {
  const totals = walletTotals(statistics);
  yield;
  const plans = yield* ladderPlanSteps(statistics);
  const rates = yield* measuredRateSteps(statistics, totals, { ...context, plans });
  const typicalPrice = typicalPriceOf(statistics.samples, statistics.tasks);
  return {
    decayedAtMs,
    statistics,
    totals,
    // Absent members stay absent, so that a snapshot equals what a store returns.
    ...(rates === undefined ? {} : { rates }),
    ...(typicalPrice === undefined ? {} : { typicalPrice }),
    plans,
  };
}

/** Returns the measured rates as pairs of a dial and its rate, for display. */
export function ratesByDial({ rates = [] }: WalletSnapshot): readonly (readonly [Dial, number])[] {
  return rates.map((rate, at) => [MEASURED_DIALS[at] ?? 0, rate] as const);
}
