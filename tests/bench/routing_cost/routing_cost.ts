/**
 * The cost of learned routing at the largest statistics of a wallet: the time of a decision with its
 * features, the steps of a snapshot, and its size.
 *
 * @module
 */

import type { Finding } from "../marks.ts";
import { asTask, start } from "../process.ts";

/** Median time of a decision with its features at 20 models and 1,000 tasks, in milliseconds, below. */
export const DECISION_MS_MAX = 0.1;
/** Median of the longest step of a snapshot, in milliseconds, below: other requests wait so long. */
export const STEP_MS_MAX = 10;
/** Stored text of 1,000 tasks with outcomes of two sources at two models each, in kilobytes, below. */
export const TASKS_KB_MAX = 300;

/** Percentiles of times in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** Measurements of one run. */
export interface RoutingCost {
  /** Decisions of a wallet with full statistics. */
  readonly learned: Percentiles;
  /** The same, where verified answers are chosen by their record. */
  readonly verified: Percentiles;
  /** Decisions of a wallet without statistics. */
  readonly unlearned: Percentiles;
  /** Computing a snapshot in which one task has changed: in all, and its longest step. */
  readonly snapshot: Percentiles;
  readonly longestStep: Percentiles;
  /** Bytes of the text of 1,000 tasks: of a common wallet, and of the largest. */
  readonly commonTasksBytes: number;
  readonly largestTasksBytes: number;
  /** Bytes and commits of writing the largest snapshot. */
  readonly writtenBytes: number;
  readonly commits: number;
  /** Heap that the largest snapshot takes, in bytes. */
  readonly heapBytes: number;
}

/** Options of the measurement. */
export interface RoutingCostOptions {
  /** Decisions of each kind. */
  readonly samples: number;
  readonly say: (text: string) => void;
}

/** Measures in a process of its own that has the service's flags. */
export async function routingCost({ samples, say }: RoutingCostOptions): Promise<Finding[]> {
  const { flags, env } = await asTask();
  const withGc = flags.map((flag) => `${flag},--expose-gc`);
  await using process = start(
    "tests/bench/routing_cost/measure_process.ts",
    [`${samples}`],
    { flags: withGc, env },
  );
  const cost: RoutingCost = JSON.parse(await process.line());
  for (const name of ["learned", "verified", "unlearned", "snapshot", "longestStep"] as const) {
    const { p50, p99, most } = cost[name];
    const shown = [p50, p99, most].map((ms) => ms.toFixed(3));
    say(`routing, ${name}: p50 ${shown[0]}, p99 ${shown[1]}, most ${shown[2]} ms`);
  }
  return routingFindings(cost);
}

/** Returns the findings of a run. */
export function routingFindings(cost: RoutingCost): Finding[] {
  const decision = (name: string, { p50, p99 }: Percentiles): Finding => ({
    name: `decision with features, ${name}`,
    measured: `p50 ${p50.toFixed(3)}, p99 ${p99.toFixed(3)} ms`,
    mark: `p50 < ${DECISION_MS_MAX} ms`,
    met: p50 < DECISION_MS_MAX,
  });
  const { snapshot, longestStep } = cost;
  const [common = "", largest = "", written = "", heap = ""] = [
    ...[cost.commonTasksBytes, cost.largestTasksBytes, cost.writtenBytes, cost.heapBytes],
  ].map((bytes) => `${(bytes / 1_000).toFixed(0)} KB`);
  return [
    decision("20 models, 1,000 tasks", cost.learned),
    decision("verified answers", cost.verified),
    decision("no statistics", cost.unlearned),
    {
      name: "longest step of a snapshot of 1,000 tasks",
      measured: `p50 ${longestStep.p50.toFixed(1)} ms of ${snapshot.p50.toFixed(1)} in all`,
      mark: `< ${STEP_MS_MAX} ms`,
      met: longestStep.p50 < STEP_MS_MAX,
    },
    {
      name: "stored text of 1,000 tasks",
      measured: `${common}, at most ${largest}`,
      mark: `< ${TASKS_KB_MAX} KB`,
      met: cost.commonTasksBytes < TASKS_KB_MAX * 1_000,
    },
    {
      name: "the largest snapshot of a wallet",
      measured: `${written} in ${cost.commits} commits; ${heap} of heap`,
      mark: "none",
      met: undefined,
    },
  ];
}
