/**
 * Tasks as an operator sees them: requests, cost and estimated quality by model.
 *
 * @module
 */

import { estimatesOf } from "./estimate.ts";
import { expectedQuality, type Quality, type QualityPart } from "./expected_quality.ts";
import type { EstimateContext } from "./measured_rates.ts";
import type { WalletSnapshot } from "./snapshot.ts";
import type { ModelStatistics, TaskStatistics } from "./statistics.ts";

/** One model at a task. */
export interface TaskModel {
  readonly model: string;
  readonly statistics: ModelStatistics;
  /** At a typical request; absent for a model that is gone from the catalog. */
  readonly quality: Quality | undefined;
}

/** One task of a wallet. */
export interface TaskView {
  readonly walletId: string;
  readonly task: string;
  readonly statistics: TaskStatistics;
  /** Most requests first. */
  readonly models: readonly TaskModel[];
  readonly requests: number;
  /** Credits. */
  readonly charged: number;
  /** Of the answers as they were divided among models; absent without known models. */
  readonly quality: Quality | undefined;
}

/** Returns the tasks of a wallet, dearest first. */
export function tasksOf(
  walletId: string,
  { statistics, totals }: WalletSnapshot,
  { qualityOf, sources }: EstimateContext,
): TaskView[] {
  return Object.entries(statistics.tasks).map(([task, own]): TaskView => {
    const known = Object.keys(own.models).flatMap((id) => {
      const quality = qualityOf(id);
      return quality === undefined ? [] : [{ id, quality }];
    });
    const estimates = estimatesOf(known, 1, { wallet: totals, task: own, sources });
    const qualities = new Map(known.map(({ id }, at) => [id, estimates[at]]));
    const models = Object.entries(own.models).map(([model, statistics]): TaskModel => ({
      model,
      statistics,
      quality: qualities.get(model),
    })).sort((one, other) =>
      other.statistics.served - one.statistics.served || (one.model < other.model ? -1 : 1)
    );
    return {
      walletId,
      task,
      statistics: own,
      models,
      requests: models.reduce((sum, { statistics }) => sum + statistics.served, 0),
      charged: models.reduce((sum, { statistics }) => sum + statistics.charged, 0),
      quality: expectedQuality(qualityParts(models)),
    };
  }).sort(byCost);
}

/** Orders tasks, dearest first. */
export function byCost(one: TaskView, other: TaskView): number {
  return other.charged - one.charged || other.requests - one.requests ||
    (one.task < other.task ? -1 : 1);
}

/** Returns the answers of models, for their expected quality. */
export function qualityParts(models: readonly TaskModel[]): QualityPart[] {
  return models.flatMap(({ model, statistics, quality }) =>
    quality === undefined ? [] : [{ model, weight: statistics.served, ...quality }]
  );
}
