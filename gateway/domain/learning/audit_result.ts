/**
 * The result of an audit: groups of equal answers, and the outcome of each model.
 *
 * @module
 */

import type { Comparable } from "../requests/task_text.ts";
import { type AnswerContent, answerGroups, answerKey } from "./answers.ts";
import { JUDGED } from "./judge.ts";
import type { AuditRecord } from "./statistics.ts";

/** An answer of the panel. */
export interface PanelAnswer {
  readonly model: string;
  /** Credits. */
  readonly cost: number;
  /** Absent if the answer is incomplete, refused or broken: then it equals no other. */
  readonly content: AnswerContent | undefined;
}

/** An answer that a judge compared with the best model's. */
export interface JudgedAnswer extends PanelAnswer {
  readonly isEqual: boolean;
  /** False if the answers are equal without a judge. */
  readonly judged: boolean;
}

/** The outcome of a model in an audit. */
export interface AuditOutcome {
  readonly model: string;
  /** 0 to 1. */
  readonly score: number;
  /** Beside a vote's, which is 1. */
  readonly weight: number;
}

/** An audit to be noted. */
export interface AuditResult {
  readonly answers: AuditRecord["answers"];
  readonly outcomes: readonly AuditOutcome[];
}

/** Returns true if two free answers are equal without a judge. */
export function areSurelyEqual(best: AnswerContent, other: AnswerContent): boolean {
  const form = best.calls.length > 0 ? "tool" : "short";
  const key = answerKey(best, form);
  return key !== undefined && key === answerKey(other, form);
}

/** Returns the result for answers that compare by a form, the best model's first. */
export function comparedResult(answers: readonly PanelAnswer[], form: Comparable): AuditResult {
  const groups = answerGroups(answers.map(({ content }) => content), form);
  return {
    answers: answers.map(({ model, cost }, at) => ({ model, cost, group: groups[at] ?? at })),
    outcomes: answers.map(({ model }, at) => ({
      model,
      score: groups[at] === groups[0] ? 1 : 0,
      weight: 1,
    })),
  };
}

/**
 * Returns the result for answers that a judge compared with the best model's, `best`. The judge
 * compared no other pair, so each answer that differs from the best one is a group of its own.
 */
export function judgedResult(
  best: Pick<PanelAnswer, "model" | "cost">,
  others: readonly JudgedAnswer[],
): AuditResult {
  const isJudged = others.some(({ judged }) => judged);
  const scoreOf = (isEqual: boolean, judged: boolean) =>
    judged ? isEqual ? JUDGED.equal : JUDGED.different : isEqual ? 1 : 0;
  const outcomeOf = ({ model, isEqual, judged }: Omit<JudgedAnswer, "content" | "cost">) => ({
    model,
    score: scoreOf(isEqual, judged),
    weight: judged ? JUDGED.weight : 1,
  });
  return {
    answers: [
      { model: best.model, cost: best.cost, group: 0 },
      ...others.map(({ model, cost, isEqual, judged }, at) => ({
        ...{ model, cost, group: isEqual ? 0 : at + 1 },
        ...judged ? { judged } : {},
      })),
    ],
    outcomes: [
      outcomeOf({ model: best.model, isEqual: true, judged: isJudged }),
      ...others.map(outcomeOf),
    ],
  };
}
