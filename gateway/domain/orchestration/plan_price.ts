/**
 * Computes the maximum cost of a split request: each of its calls at the highest price among the
 * models that could serve the request.
 *
 * @module
 */

import { longestOutput } from "../catalog/catalog.ts";
import { invariant } from "../invariant.ts";
import type { Micros } from "../ledger/money.ts";
import { chargeOf } from "../ledger/pricing.ts";
import type { Candidate } from "../routing/plan.ts";
import type { PlannedTask } from "./task_plan.ts";

/** Maximum output of a task or a plan in tokens, if its model allows as much. */
export const PART_OUTPUT_TOKENS = 4_096;
/** Expected number of tasks before the plan exists. */
export const EXPECTED_TASKS = 3;
/** Input tokens that the service's own notes add to a call. */
export const NOTE_TOKENS = 1_500;
/**
 * Maximum held tokens per result token in a call that reads the result: the bounds of
 * `token_estimate.ts` divided by the tokens they bound. English prose comes to 2.7, Chinese to 3.6.
 */
const HELD_PER_RESULT_TOKEN = 4;

/** Maximum cost of the calls of a plan. */
export interface PlanPrice {
  /** Cost by task id. */
  readonly tasks: ReadonlyMap<string, Micros>;
  readonly final: Micros;
  /** Cost of one call of the planner. */
  readonly plan: Micros;
}

/** Returns the maximum output tokens of one part of a request, for its best candidate. */
export function partOutputTokens([best]: readonly Candidate[]): number {
  invariant(best !== undefined, "Cannot bound a part without a candidate");
  return Math.min(PART_OUTPUT_TOKENS, longestOutput(best.model));
}

/** Prices a plan; `candidates` are those of the unsplit request, at least one. */
export function priceOfPlan(
  candidates: readonly Candidate[],
  tasks: readonly Pick<PlannedTask, "taskId" | "dependsOn">[],
): PlanPrice {
  const output = partOutputTokens(candidates);
  const dearest = (results: number, outputOf: (candidate: Candidate) => number) =>
    candidates.reduce((most, candidate) => {
      const inputTokens = candidate.inputTokens + NOTE_TOKENS +
        results * output * HELD_PER_RESULT_TOKEN;
      const usage = { inputTokens, cachedInputTokens: 0, outputTokens: outputOf(candidate) };
      const charge = chargeOf(usage, candidate.price);
      return charge > most ? charge : most;
    }, 0n);
  return {
    plan: dearest(0, () => output),
    tasks: new Map(
      tasks.map(({ taskId, dependsOn }) => [taskId, dearest(dependsOn.length, () => output)]),
    ),
    final: dearest(tasks.length, ({ outputTokens }) => Math.min(outputTokens, PART_OUTPUT_TOKENS)),
  };
}

/**
 * Returns the maximum cost of a request without a plan yet: one repair, and the expected number of
 * tasks.
 */
export function expectedPrice(candidates: readonly Candidate[]): Micros {
  const tasks = Array.from({ length: EXPECTED_TASKS }, (_, at) => ({
    taskId: `t${at}`,
    dependsOn: [],
  }));
  const price = priceOfPlan(candidates, tasks);
  return 2n * price.plan + sumOf(price);
}

/** Returns the cost of the tasks and the final answer. */
export function sumOf({ tasks, final }: PlanPrice): Micros {
  let sum = final;
  for (const amount of tasks.values()) sum += amount;
  return sum;
}
