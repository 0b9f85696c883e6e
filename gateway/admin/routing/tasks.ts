import type { AnswerOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { expectedQuality } from "../../domain/learning/expected_quality.ts";
import { ALL_TASKS, type LadderPlan } from "../../domain/learning/ladder_plans.ts";
import type { RoutingSnapshot } from "../../domain/learning/snapshot.ts";
import { OUTCOME_SOURCES } from "../../domain/learning/statistics.ts";
import {
  byCost,
  qualityParts,
  type TaskModel,
  tasksOf,
  type TaskView,
} from "../../domain/learning/task_view.ts";
import type { PageQuery } from "../../admin_api/query_fields.ts";
import type { AdminDeps } from "../deps.ts";
import { pageOf } from "../paging.ts";
import { isoTime } from "../json_values.ts";
import {
  creditsJson,
  estimateContext,
  qualityJson,
  rounded,
  shareOf,
  walletsIn,
} from "./learned.ts";

type TaskList = AnswerOf<"GET /routing/tasks">;
type Task = AnswerOf<"GET /routing/tasks/{task}">;

/** Maximum plans of a task in an answer. */
const PLANS_MAX = 8;
/** Fingerprints that a refusal names. */
const NAMED_MAX = 8;

/** Returns the tasks of a wallet, or of all, with their sums. */
export async function taskListJson(
  { wallet, ...page }: PageQuery & { readonly wallet?: string | undefined },
  deps: Pick<AdminDeps, "learning" | "catalogs" | "ledger">,
): Promise<TaskList> {
  const snapshot = deps.learning.newest();
  const context = estimateContext(deps.catalogs.current());
  const wallets = await walletsIn(snapshot, wallet, deps);
  const tasks = wallets.flatMap(([id, own]) => tasksOf(id, own, context)).sort(byCost);
  const { rows: shown, cursor } = pageOf(tasks, page);
  return {
    snapshot: snapshot.number,
    takenAt: snapshot.number === 0 ? null : isoTime(snapshot.takenAtMs),
    totals: totalsJson(tasks),
    tasks: shown.map((task) => ({
      ...summaryJson(task),
      models: task.models.map((model) => modelJson(model, task)),
    })),
    cursor,
  };
}

function totalsJson(tasks: readonly TaskView[]): TaskList["totals"] {
  const requests = sumOf(tasks, (task) => task.requests);
  const models = [...Map.groupBy(tasks.flatMap(({ models }) => models), ({ model }) => model)]
    .map(([model, own]) => {
      const served = sumOf(own, ({ statistics }) => statistics.served);
      const charged = creditsJson(sumOf(own, ({ statistics }) => statistics.charged));
      return { model, requests: served, share: shareOf(served, requests), charged };
    })
    .sort((one, other) => other.requests - one.requests || (one.model < other.model ? -1 : 1));
  return {
    tasks: tasks.length,
    requests,
    charged: creditsJson(sumOf(tasks, ({ charged }) => charged)),
    bestCharged: creditsJson(sumOf(tasks, ({ statistics }) => statistics.bestCharged)),
    cheapestCharged: creditsJson(sumOf(tasks, ({ statistics }) => statistics.cheapestCharged)),
    quality: qualityJson(expectedQuality(tasks.flatMap(({ models }) => qualityParts(models)))),
    models,
  };
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}

function summaryJson({ task, walletId, statistics, requests, charged, quality, models }: TaskView) {
  return {
    task,
    wallet: walletId,
    lastUsedAt: isoTime(statistics.lastUsedMs),
    requests,
    charged: creditsJson(charged),
    bestCharged: creditsJson(statistics.bestCharged),
    cheapestCharged: creditsJson(statistics.cheapestCharged),
    quality: qualityJson(quality),
    outcomes: sumOf(models, ({ statistics }) => statistics.outcomes),
  };
}

function modelJson({ model, statistics, quality }: TaskModel, { requests }: TaskView) {
  const { served, charged, outcomes } = statistics;
  return {
    model,
    requests: served,
    share: shareOf(served, requests),
    charged: creditsJson(charged),
    outcomes,
    quality: qualityJson(quality),
  };
}

/** Returns one task by its fingerprint or the beginning of it. */
export function taskJson(
  fingerprint: string,
  deps: Pick<AdminDeps, "learning" | "catalogs">,
): Task {
  const snapshot = deps.learning.newest();
  const { walletId, task: id } = findTask(snapshot, fingerprint);
  const context = estimateContext(deps.catalogs.current());
  const wallet = snapshot.wallets.get(walletId);
  const task = wallet && tasksOf(walletId, wallet, context).find(({ task }) => task === id);
  if (wallet === undefined || task === undefined) throw unknownTask(fingerprint);
  return {
    ...summaryJson(task),
    snapshot: snapshot.number,
    models: task.models.map((model) => ({
      ...modelJson(model, task),
      sources: OUTCOME_SOURCES.flatMap((source) => {
        const sum = model.statistics.sums[source];
        if (sum === undefined || sum.weight <= 0) return [];
        const good = Math.min(1, Math.max(0, 1 - sum.bad / sum.weight));
        return [{ source, weight: rounded(sum.weight), good: rounded(good) }];
      }),
    })),
    audits: wallet.statistics.audits.filter((audit) => audit.task === id).length,
    plans: plansJson(wallet.plans[id] ?? wallet.plans[ALL_TASKS] ?? []),
  };
}

function plansJson(plans: readonly LadderPlan[]): Task["plans"] {
  return plans.toSorted((one, other) => other.quality - one.quality || one.cost - other.cost)
    .slice(0, PLANS_MAX)
    .map(({ cheap, better, quality, cost, audits }) => ({
      ...{ cheap, better, audits },
      quality: rounded(quality),
      cost: rounded(cost),
    }));
}

/**
 * Returns the task whose fingerprint begins with a text; throws `not_found`, or `conflict` with the
 * fingerprints of several.
 */
export function findTask(
  { wallets }: RoutingSnapshot,
  text: string,
  walletId?: string,
): { readonly walletId: string; readonly task: string } {
  if (!/^[0-9a-f]{8,16}$/.test(text)) throw unknownTask(text);
  const matches = [...wallets].flatMap(([id, { statistics }]) =>
    walletId !== undefined && id !== walletId
      ? []
      : Object.keys(statistics.tasks).filter((task) => task.startsWith(text))
        .map((task) => ({ walletId: id, task }))
  );
  const [only] = matches;
  if (only === undefined) throw unknownTask(text);
  if (matches.length === 1) return only;
  const named = matches.slice(0, NAMED_MAX).map(({ task }) => task).join(", ");
  throw new ServiceFault("conflict", {
    message: `${matches.length} tasks begin with "${text}": ${named}`,
    param: "task",
  });
}

function unknownTask(text: string): ServiceFault {
  return new ServiceFault("not_found", { message: `There is no task "${text}" in the statistics` });
}
