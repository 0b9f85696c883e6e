/**
 * The estimated probability of a good answer by a model at a task.
 *
 * ```text
 * bad(model, wallet) = (bad + 100 * scaled(1 - quality)) / (load + 100)
 * bad(model, task)   = (bad + 80 * scaled(bad(model, wallet))) / (load + 80)
 * scaled(prior)      = prior * ((20 + bad of all models) / (20 + expected bad of all models)) ^ lack
 * p                  = 1 - bad(model, task) * load of the request
 * ```
 *
 * The catalog's quality is the prior of the wallet, the wallet that of the task. A model that lacks a
 * record (`lack` is 1 without one, and 0 with the longest of all) is expected to fail in proportion
 * as the models on record did, so that a hard task is hard for models that never served it. Outcomes
 * are weighted, decayed and bounded as in `statistics.ts`. The load of a request is capped, for all
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
const CATALOG_WEIGHT = 100;
/** Weight of the wallet's record in that of a task, in outcomes of a typical request. */
const WALLET_WEIGHT = 80;
/** Weight of the assumption that models fail as often as their priors say, in bad outcomes. */
const SCALE_WEIGHT = 20;
/** Maximum share of bad answers of a prior. */
const BAD_MAX = 0.98;

/** Returns the difficulty of a request beside a typical one: 1 is typical. */
export function loadOf(difficulty: number): number {
  return difficulty / TYPICAL_DIFFICULTY;
}

/** A model with its quality by the catalog. */
type Rated = { readonly id: string; readonly quality: number };

/** The statistics that an estimate rests on. They never change. */
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

/** The record of a model without outcomes. */
const NO_OUTCOMES: OutcomeSum = { weight: 0, bad: 0, load: 0 };
/** The statistics of a wallet or task without outcomes. */
export const NO_MODELS: Readonly<Record<string, ModelStatistics>> = {};

/**
 * Returns the shares of bad answers that follow from priors and records. Where the models on record
 * fail more often than expected, the others would too: the ratio scales the priors of models in
 * proportion to what their records lack beside the longest.
 */
function combine(
  priors: readonly number[],
  records: readonly OutcomeSum[],
  weight: number,
): number[] {
  let [bad, expected, most] = [SCALE_WEIGHT, SCALE_WEIGHT, 1e-9];
  for (let at = 0; at < records.length; at++) {
    const record = records[at] ?? NO_OUTCOMES;
    bad += record.bad;
    expected += record.load * (priors[at] ?? 0);
    if (record.load > most) most = record.load;
  }
  const ratio = bad / expected;
  return records.map((record, at) => {
    const prior = priors[at] ?? 0;
    const scaled = prior * ratio ** (1 - record.load / most);
    return (record.bad + weight * Math.min(Math.max(BAD_MAX, prior), scaled)) /
      (record.load + weight);
  });
}

/** Returns the shares of bad answers of one level: that of a wallet, or of a task. */
function sharesAt(
  { ids, priors, weight }: {
    readonly ids: readonly string[];
    readonly priors: readonly number[];
    readonly weight: number;
  },
  known: Readonly<Record<string, ModelStatistics>>,
  sources: readonly OutcomeSource[],
): { readonly shares: readonly number[]; readonly records: readonly OutcomeSum[] } {
  const records = ids.map((id) => totalOf(known[id], sources));
  const shares = combine(priors, records, weight);
  for (let at = 0; at < shares.length; at++) {
    const alarms = alarmsOf(known[ids[at] ?? ""], sources);
    if (alarms === undefined) continue;
    shares[at] = withAlarms(shares[at] ?? 1, weight + (records[at]?.load ?? 0), alarms);
  }
  return { shares, records };
}

function badShares(
  models: readonly Rated[],
  { wallet, task, sources }: Evidence,
): BadShare[] {
  const ids = models.map(({ id }) => id);
  const priors = models.map(({ quality }) => 1 - quality);
  const ofWallet = sharesAt({ ids, priors, weight: CATALOG_WEIGHT }, wallet, sources);
  const atTask = { ids, priors: ofWallet.shares, weight: WALLET_WEIGHT };
  const ofTask = sharesAt(atTask, task?.models ?? NO_MODELS, sources);
  return ids.map((id, at) => {
    const all = ofWallet.records[at]?.weight ?? 0;
    const some = ofTask.records[at]?.weight ?? 0;
    return {
      bad: ofTask.shares[at] ?? 1,
      weight: some + Math.min(WALLET_WEIGHT, all - some + CATALOG_WEIGHT),
      outcomes: task?.models[id]?.outcomes ?? 0,
    };
  });
}

/** The shares that were computed last from some statistics, with what they were computed from. */
interface KnownShares {
  readonly models: readonly Rated[];
  readonly evidence: Evidence;
  readonly shares: readonly BadShare[];
}

/** By the statistics of the task, or else of the wallet: snapshots never change. */
const knownShares = new WeakMap<object, KnownShares>();

/** Returns the shares of bad answers of models; computes them once for requests in a row. */
function sharesOf(models: readonly Rated[], evidence: Evidence): readonly BadShare[] {
  const { wallet, task, sources } = evidence;
  const name = task ?? wallet;
  const known = knownShares.get(name);
  if (
    known !== undefined && known.evidence.wallet === wallet && known.evidence.sources === sources &&
    haveSamePriors(known.models, models)
  ) return known.shares;
  const shares = badShares(models, evidence);
  knownShares.set(name, { models, evidence, shares });
  return shares;
}

function haveSamePriors(some: readonly Rated[], others: readonly Rated[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) {
    const [one, other] = [some[at], others[at]];
    if (one !== other && (one?.id !== other?.id || one?.quality !== other?.quality)) return false;
  }
  return true;
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
function totalOf(
  model: ModelStatistics | undefined,
  sources: readonly OutcomeSource[],
): OutcomeSum {
  if (model === undefined) return NO_OUTCOMES;
  const total = { weight: 0, bad: 0, load: 0 };
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
  models: readonly Rated[],
  load: number,
  evidence: Evidence,
): Estimate[] {
  const shares = sharesOf(models, evidence);
  let worst = 0;
  for (const { bad } of shares) worst = Math.max(worst, bad);
  const counted = Math.min(load, 1 / Math.max(worst, 1e-9));
  return shares.map(({ bad, weight, outcomes }) => {
    const p = Math.min(1, Math.max(0, 1 - bad * counted));
    return { p, error: Math.sqrt(Math.max(p * (1 - p), 0.01) / weight), outcomes };
  });
}
