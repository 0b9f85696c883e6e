/**
 * What a split request may cost at the most: each of its calls at the dearest price of the models
 * that could serve the request.
 *
 * @module
 */

import { longestOutput } from "../catalog/catalog.ts";
import { invariant } from "../invariant.ts";
import type { Micros } from "../ledger/money.ts";
import { chargeOf } from "../ledger/pricing.ts";
import type { Candidate } from "../routing/plan.ts";
import type { PlannedTask } from "./task_plan.ts";

/** Most output of a task or a plan, in tokens, where its model gives as much. */
export const PART_OUTPUT_TOKENS = 4_096;
/** Tasks that a plan is expected to have before there is one. */
export const EXPECTED_TASKS = 3;
/** Input that the service's own words add to a call, in tokens. */
export const NOTE_TOKENS = 1_500;
/**
 * Tokens that are held for each token of a result by a call that reads it, at the most: the bounds of
 * `token_estimate.ts` over the tokens they bound. English prose comes to 2.7, Chinese to 3.6.
 */
const HELD_PER_RESULT_TOKEN = 4;

/** Most that the calls of a plan cost. */
export interface PlanPrice {
  /** By task id. */
  readonly tasks: ReadonlyMap<string, Micros>;
  readonly final: Micros;
  /** Of one call of the planner. */
  readonly plan: Micros;
}

/** Most output tokens of one part of a request whose best candidate is the first of these. */
export function partOutputTokens([best]: readonly Candidate[]): number {
  invariant(best !== undefined, "Cannot bound a part without a candidate");
  return Math.min(PART_OUTPUT_TOKENS, longestOutput(best.model));
}

/** Prices a plan; `candidates` are those of the request as one call, never none. */
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
    final: dearest(
      tasks.length,
      ({ outputTokens }) => Math.min(outputTokens, PART_OUTPUT_TOKENS),
    ),
  };
}

/** Most that a request costs whose plan is not made yet: repaired once, of so many tasks as usual. */
export function expectedPrice(candidates: readonly Candidate[]): Micros {
  const tasks = Array.from({ length: EXPECTED_TASKS }, (_, at) => ({
    taskId: `t${at}`,
    dependsOn: [],
  }));
  const price = priceOfPlan(candidates, tasks);
  return 2n * price.plan + sumOf(price);
}

/** Of the tasks and the answer. */
export function sumOf({ tasks, final }: PlanPrice): Micros {
  let sum = final;
  for (const amount of tasks.values()) sum += amount;
  return sum;
}
