/**
 * The stored form of a wallet's statistics: rows of numbers in place of named members, which take
 * three times the space.
 *
 * @module
 */

import { walletTotals } from "../../../domain/learning/estimate.ts";
import { ladderPlans } from "../../../domain/learning/ladder_plans.ts";
import type { WalletSnapshot } from "../../../domain/learning/snapshot.ts";
import {
  type ModelStatistics,
  OUTCOME_SOURCES,
  type OutcomeSource,
  type OutcomeSum,
  type TaskStatistics,
  type WalletStatistics,
} from "../../../domain/learning/statistics.ts";

type SumRow = readonly [source: OutcomeSource, weight: number, bad: number, load: number];
type ModelRow = readonly [served: number, charged: number, outcomes: number, ...sums: SumRow[]];
type TaskRow = readonly [
  lastUsedMs: number,
  bestCharged: number,
  cheapestCharged: number,
  models: Readonly<Record<string, ModelRow>>,
];

/** A wallet without what follows from its statistics alone. */
export interface StoredWallet extends Omit<WalletSnapshot, "totals" | "plans" | "statistics"> {
  readonly tasks: Readonly<Record<string, TaskRow>>;
  readonly samples: WalletStatistics["samples"];
  readonly audits: WalletStatistics["audits"];
}

/** Returns the stored form of a wallet. */
export function storedWallet(wallet: WalletSnapshot): StoredWallet {
  const { totals: _totals, plans: _plans, statistics, ...rest } = wallet;
  const { tasks, samples, audits } = statistics;
  return { ...rest, tasks: mapped(tasks, taskRow), samples, audits };
}

/** Returns the wallet of a stored form, equal to the one that was stored. */
export function walletOf({ tasks: rows, samples, audits, ...rest }: StoredWallet): WalletSnapshot {
  const statistics = { tasks: mapped(rows, taskOf), samples, audits };
  const [totals, plans] = [walletTotals(statistics), ladderPlans(statistics)];
  return { ...rest, statistics, totals, plans };
}

function mapped<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function taskRow({ lastUsedMs, bestCharged, cheapestCharged, models }: TaskStatistics): TaskRow {
  return [lastUsedMs, bestCharged, cheapestCharged, mapped(models, modelRow)];
}

function taskOf([lastUsedMs, bestCharged, cheapestCharged, models]: TaskRow): TaskStatistics {
  return { lastUsedMs, models: mapped(models, modelOf), bestCharged, cheapestCharged };
}

function modelRow({ served, charged, outcomes, sums }: ModelStatistics): ModelRow {
  const rows = OUTCOME_SOURCES.flatMap((source): SumRow[] => {
    const sum = sums[source];
    return sum === undefined ? [] : [[source, sum.weight, sum.bad, sum.load]];
  });
  return [served, charged, outcomes, ...rows];
}

function modelOf([served, charged, outcomes, ...rows]: ModelRow): ModelStatistics {
  const sums: Partial<Record<OutcomeSource, OutcomeSum>> = {};
  for (const [source, weight, bad, load] of rows) sums[source] = { weight, bad, load };
  return { served, charged, outcomes, sums };
}
