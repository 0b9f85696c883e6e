/**
 * Statistics that one process collects between two snapshots.
 *
 * @module
 */

import type { ForgetScope } from "./forget.ts";
import {
  addStatistics,
  type AuditRecord,
  AUDITS_MAX,
  type ModelStatistics,
  NO_STATISTICS,
  type OutcomeSource,
  type OutcomeSum,
  type RouteSample,
  SAMPLES_MAX,
  TASKS_PER_WALLET_MAX,
  type TaskStatistics,
  type WalletStatistics,
} from "./statistics.ts";

/** A request that a model answered. */
export interface ServedNote {
  readonly walletId: string;
  readonly task: string;
  readonly model: string;
  readonly atMs: number;
  /** Credits. */
  readonly charged: number;
  /** Expected price of the model beside that of the best, and of the cheapest, allowed model. */
  readonly bestFactor: number;
  readonly cheapestFactor: number;
  /** The decision. */
  readonly sample?: RouteSample | undefined;
}

/** The outcome of an answer. */
export interface OutcomeNote {
  readonly walletId: string;
  readonly task: string;
  readonly model: string;
  readonly atMs: number;
  readonly source: OutcomeSource;
  /** 0 (bad) to 1 (good). */
  readonly score: number;
  /** Weight beside a vote's, which is 1. */
  readonly weight: number;
  /** Difficulty of the request beside a typical one. */
  readonly load: number;
}

interface OpenModel {
  served: number;
  charged: number;
  outcomes: number;
  readonly sums: Partial<Record<OutcomeSource, { weight: number; bad: number; load: number }>>;
}

interface OpenTask {
  lastUsedMs: number;
  bestCharged: number;
  cheapestCharged: number;
  readonly models: Map<string, OpenModel>;
}

interface OpenWallet {
  readonly tasks: Map<string, OpenTask>;
  samples: RouteSample[];
  audits: AuditRecord[];
}

/** The collected statistics, by wallet. Bounded like those of a snapshot. */
export class Additions {
  readonly #wallets = new Map<string, OpenWallet>();

  /** True when nothing was collected. */
  get isEmpty(): boolean {
    return this.#wallets.size === 0;
  }

  /** Adds a request that a model answered. */
  noteServed(note: ServedNote): void {
    const { walletId, task: id, model: name, atMs, charged, sample } = note;
    const wallet = this.#walletOf(walletId);
    const task = taskIn(wallet, id, atMs);
    const model = modelIn(task, name);
    model.served++;
    model.charged += charged;
    task.bestCharged += charged * note.bestFactor;
    task.cheapestCharged += charged * note.cheapestFactor;
    if (sample === undefined) return;
    wallet.samples.push(sample);
    if (wallet.samples.length > 2 * SAMPLES_MAX) {
      wallet.samples = wallet.samples.slice(-SAMPLES_MAX);
    }
  }

  /** Adds the outcome of an answer. */
  noteOutcome(note: OutcomeNote): void {
    const { walletId, task, model: name, atMs, source, score, weight, load } = note;
    const model = modelIn(taskIn(this.#walletOf(walletId), task, atMs), name);
    const sum = model.sums[source] ??= { weight: 0, bad: 0, load: 0 };
    // An answer without an alarm is no outcome.
    if (source !== "implicit" || score < 1) model.outcomes++;
    sum.weight += weight;
    sum.bad += weight * (1 - score);
    sum.load += weight * load;
  }

  /** Adds an audit. */
  noteAudit(walletId: string, audit: AuditRecord, atMs: number): void {
    const wallet = this.#walletOf(walletId);
    taskIn(wallet, audit.task, atMs);
    wallet.audits.push(audit);
    if (wallet.audits.length > 2 * AUDITS_MAX) wallet.audits = wallet.audits.slice(-AUDITS_MAX);
  }

  /** Returns everything that was collected. */
  byWallet(): ReadonlyMap<string, WalletStatistics> {
    return new Map([...this.#wallets].map(([id, wallet]) => [id, closed(wallet)]));
  }

  /** Adds what was collected later. */
  append(later: Additions): void {
    this.add(later.byWallet());
  }

  /** Adds statistics that were collected later. */
  add(later: ReadonlyMap<string, WalletStatistics>): void {
    for (const [id, added] of later) {
      const own = this.#wallets.get(id);
      const sum = addStatistics(own === undefined ? NO_STATISTICS : closed(own), added, 0);
      this.#wallets.set(id, opened(sum));
    }
  }

  /** Removes what was collected in a scope. */
  remove({ walletId, task }: ForgetScope): void {
    for (const [id, wallet] of this.#wallets) {
      if (walletId !== undefined && id !== walletId) continue;
      if (task === undefined) {
        this.#wallets.delete(id);
        continue;
      }
      wallet.tasks.delete(task);
      wallet.samples = wallet.samples.filter((sample) => sample.task !== task);
      wallet.audits = wallet.audits.filter((audit) => audit.task !== task);
    }
  }

  #walletOf(id: string): OpenWallet {
    let wallet = this.#wallets.get(id);
    if (wallet === undefined) {
      this.#wallets.set(id, wallet = { tasks: new Map(), samples: [], audits: [] });
    }
    return wallet;
  }
}

function taskIn(wallet: OpenWallet, id: string, atMs: number): OpenTask {
  const task = wallet.tasks.get(id) ??
    { lastUsedMs: atMs, bestCharged: 0, cheapestCharged: 0, models: new Map() };
  // The map is in the order of the last use.
  wallet.tasks.delete(id);
  wallet.tasks.set(id, task);
  task.lastUsedMs = Math.max(task.lastUsedMs, atMs);
  if (wallet.tasks.size > TASKS_PER_WALLET_MAX) {
    const [oldest] = wallet.tasks.keys();
    if (oldest !== undefined) wallet.tasks.delete(oldest);
  }
  return task;
}

function modelIn(task: OpenTask, name: string): OpenModel {
  let model = task.models.get(name);
  if (model === undefined) {
    task.models.set(name, model = { served: 0, charged: 0, outcomes: 0, sums: {} });
  }
  return model;
}

function closed({ tasks, samples, audits }: OpenWallet): WalletStatistics {
  const closedTask = ({ models, ...task }: OpenTask): TaskStatistics => ({
    ...task,
    models: Object.fromEntries(
      [...models].map(([name, model]): [string, ModelStatistics] => [name, model]),
    ),
  });
  return {
    tasks: Object.fromEntries([...tasks].map(([id, task]) => [id, closedTask(task)])),
    samples: samples.slice(-SAMPLES_MAX),
    audits: audits.slice(-AUDITS_MAX),
  };
}

function opened({ tasks, samples, audits }: WalletStatistics): OpenWallet {
  const openTask = ({ models, ...task }: TaskStatistics): OpenTask => ({
    ...task,
    models: new Map(
      Object.entries(models).map(([name, { sums, ...model }]) => [
        name,
        { ...model, sums: openSums(sums) },
      ]),
    ),
  });
  return {
    tasks: new Map(Object.entries(tasks).map(([id, task]) => [id, openTask(task)])),
    samples: [...samples],
    audits: [...audits],
  };
}

function openSums(sums: ModelStatistics["sums"]): OpenModel["sums"] {
  const entries = Object.entries(sums).map(([source, sum]: [string, OutcomeSum]) => [
    source,
    { ...sum },
  ]);
  return Object.fromEntries(entries);
}
