/**
 * The estimated probability of a good answer by a model at a task.
 *
 * ```text
 * bad(model, wallet) = (bad + 20 * (1 - quality)) / (load + 20)
 * bad(model, task)   = (bad + 40 * bad(model, wallet)) / (load + 40)
 * p                  = 1 - bad(model, task) * load of the request
 * ```
 *
 * Implicit outcomes are alarms: signs that an answer was bad. An answer without one says nothing
 * about its quality, so it counts as the estimate `b` without implicit outcomes, and only the alarms
 * move it. With `n` checked answers, `a` alarms, and `w` the denominator above:
 *
 * ```text
 * (b * (w + n - a) + a) / (w + n) = b + a * (1 - b) / (w + n)
 * ```
 *
 * The catalog's quality is the prior of the wallet, the wallet that of the task. Outcomes are
 * weighted, decayed and bounded as in `statistics.ts`. The load of a request is capped, for all
 * models alike, so that no probability is negative: a harder request widens the differences between
 * models and never reverses them.
 *
 * @module
 */

import { TYPICAL_DIFFICULTY } from "../routing/difficulty.ts";
import {
  type ModelStatistics,
  OUTCOME_SOURCES,
  type OutcomeSource,
  type OutcomeSum,
  type TaskStatistics,
  type WalletStatistics,
} from "./statistics.ts";

/** The estimate for one model and request. */
export interface Estimate {
  /** Probability of a good answer, 0 to 1. */
  readonly p: number;
  /** Standard error of `p`. */
  readonly error: number;
  /** Outcomes of the model at the task that it rests on. */
  readonly outcomes: number;
}

/** Weight of the catalog's quality, in outcomes of a typical request. */
const CATALOG_WEIGHT = 20;
/** Weight of the wallet's record in that of a task, in outcomes of a typical request. */
const WALLET_WEIGHT = 40;

/** Returns the difficulty of a request beside a typical one: 1 is typical. */
export function loadOf(difficulty: number): number {
  return difficulty / TYPICAL_DIFFICULTY;
}

/** The statistics that an estimate rests on. */
export interface Evidence {
  /** Sums over all tasks of the wallet, by model. */
  readonly wallet: Readonly<Record<string, ModelStatistics>>;
  readonly task: TaskStatistics | undefined;
  /** Sources that count. */
  readonly sources: readonly OutcomeSource[];
}

/** Returns the sums over all tasks of a wallet, by model. */
export function walletTotals({ tasks }: WalletStatistics): Record<string, ModelStatistics> {
  const totals: Record<string, ModelStatistics> = {};
  for (const { models } of Object.values(tasks)) {
    for (const [id, model] of Object.entries(models)) totals[id] = plus(totals[id], model);
  }
  return totals;
}

function plus(one: ModelStatistics | undefined, other: ModelStatistics): ModelStatistics {
  if (one === undefined) return other;
  const sums = { ...one.sums };
  for (const source of OUTCOME_SOURCES) {
    const [a, b] = [one.sums[source], other.sums[source]];
    if (b === undefined) continue;
    sums[source] = a === undefined
      ? b
      : { weight: a.weight + b.weight, bad: a.bad + b.bad, load: a.load + b.load };
  }
  return {
    served: one.served + other.served,
    charged: one.charged + other.charged,
    outcomes: one.outcomes + other.outcomes,
    sums,
  };
}

/** The share of bad answers of a model at a typical request of a task. */
interface BadShare {
  readonly bad: number;
  readonly weight: number;
  readonly outcomes: number;
}

function badShare(model: string, quality: number, evidence: Evidence): BadShare {
  const { wallet, task, sources } = evidence;
  const known = totalOf(wallet[model], sources);
  const ofWallet = withAlarms(
    (known.bad + CATALOG_WEIGHT * (1 - quality)) / (known.load + CATALOG_WEIGHT),
    known.load + CATALOG_WEIGHT,
    alarmsOf(wallet[model], sources),
  );
  const own = task?.models[model];
  const sum = totalOf(own, sources);
  return {
    bad: withAlarms(
      (sum.bad + WALLET_WEIGHT * ofWallet) / (sum.load + WALLET_WEIGHT),
      sum.load + WALLET_WEIGHT,
      alarmsOf(own, sources),
    ),
    weight: sum.weight + Math.min(WALLET_WEIGHT, known.weight - sum.weight + CATALOG_WEIGHT),
    outcomes: own?.outcomes ?? 0,
  };
}

/** Returns a share of bad answers that rests on a weight, moved by alarms. */
function withAlarms(bad: number, weight: number, alarms: OutcomeSum | undefined): number {
  if (alarms === undefined) return bad;
  return bad + alarms.bad * Math.max(0, 1 - bad) / (weight + alarms.load);
}

function alarmsOf(
  model: ModelStatistics | undefined,
  sources: readonly OutcomeSource[],
): OutcomeSum | undefined {
  return sources.includes("implicit") ? model?.sums.implicit : undefined;
}

/** Returns the sum over all sources but the implicit outcomes. */
function totalOf(model: ModelStatistics | undefined, sources: readonly OutcomeSource[]) {
  const total = { weight: 0, bad: 0, load: 0 };
  if (model === undefined) return total;
  for (const source of sources) {
    const sum = model.sums[source];
    if (sum === undefined || source === "implicit") continue;
    total.weight += sum.weight;
    total.bad += sum.bad;
    total.load += sum.load;
  }
  return total;
}

/**
 * Returns the estimates of models for a request of a given load, in their order. The load counts in
 * full while the worst of the models has a probability above zero.
 */
export function estimatesOf(
  models: readonly { readonly id: string; readonly quality: number }[],
  load: number,
  evidence: Evidence,
): Estimate[] {
  const shares = models.map(({ id, quality }) => badShare(id, quality, evidence));
  const worst = Math.max(...shares.map(({ bad }) => bad));
  const counted = Math.min(load, 1 / Math.max(worst, 1e-9));
  return shares.map(({ bad, weight, outcomes }) => {
    const p = Math.min(1, Math.max(0, 1 - bad * counted));
    return { p, error: Math.sqrt(Math.max(p * (1 - p), 0.01) / weight), outcomes };
  });
}
