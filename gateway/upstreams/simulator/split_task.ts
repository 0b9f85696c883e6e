/**
 * A simulated model's answers to the tasks of a split request. It plans, works on parts and
 * combines results by punctuation only.
 *
 * @module
 */

import { notedTask, withoutResults } from "../../domain/orchestration/task_notes.ts";
import {
  PLAN_TASK_ID,
  PLAN_TASKS_MAX,
  TITLE_MAX_CHARS,
} from "../../domain/orchestration/task_plan.ts";

/** The task of a split request that a question belongs to. */
export interface SimulatedTask {
  /** `plan`, `final`, or the id of the task. */
  readonly id: string;
  /** Ids of the tasks whose results the question contains. */
  readonly resultIds: readonly string[];
  /** Ids of the earlier tasks that failed. */
  readonly missing: readonly string[];
}

/** Separates the user's question from the task of a split request. */
export function splitTask(text: string): { question: string; task: SimulatedTask | undefined } {
  const noted = notedTask(text);
  if (noted === undefined) return { question: text, task: undefined };
  const note = withoutResults(text.slice(noted.own.length));
  const results = [...note.matchAll(/^\$([a-z][a-z0-9_]*) \([^\n]*\):( this part failed)?/gm)];
  const idsOf = (failed: boolean) =>
    results.filter(([, , mark]) => (mark !== undefined) === failed).map(([, id = ""]) => id);
  return {
    question: noted.own.trim(),
    task: { id: noted.taskId, resultIds: idsOf(false), missing: idsOf(true) },
  };
}

/**
 * Returns a plan as JSON text: a task for each part of the question between punctuation marks; none
 * for one part.
 */
export function simulatedPlan(question: string): string {
  const pieces = question
    .split(/[?？.。;；:：\n]|,\s(?:and\s)?|\sand\s|[，、]/)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length > 1)
    .slice(0, PLAN_TASKS_MAX);
  const tasks = pieces.length < 2 ? [] : pieces.map((piece, at) => ({
    task_id: `part_${at + 1}`,
    title: piece.slice(0, TITLE_MAX_CHARS).toWellFormed(),
    instruction: piece,
    depends_on: [],
    needs: [],
  }));
  return JSON.stringify({ tasks });
}

/** True for the task that makes the plan. */
export function isPlanning(task: SimulatedTask | undefined): boolean {
  return task?.id === PLAN_TASK_ID;
}
