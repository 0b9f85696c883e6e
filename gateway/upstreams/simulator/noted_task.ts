/**
 * A simulated model's share in a split request: it plans, works on a part, and puts parts together, by
 * punctuation alone.
 *
 * @module
 */

import { notedTask, withoutResults } from "../../domain/orchestration/task_notes.ts";
import {
  PLAN_TASK_ID,
  PLAN_TASKS_MAX,
  TITLE_MAX_CHARS,
} from "../../domain/orchestration/task_plan.ts";

/** Which task of a split request a question is for. */
export interface SimulatedTask {
  /** `plan`, `final`, or the task's own. */
  readonly id: string;
  /** Ids of the tasks whose results it was given. */
  readonly given: readonly string[];
  /** Ids of the tasks that failed before it. */
  readonly missing: readonly string[];
}

/** The user's own question, and the task that it is asked for where it is split. */
export function splitTask(text: string): { question: string; task: SimulatedTask | undefined } {
  const noted = notedTask(text);
  if (noted === undefined) return { question: text, task: undefined };
  const note = withoutResults(text.slice(noted.own.length));
  const results = [...note.matchAll(/^\$([a-z][a-z0-9_]*) \([^\n]*\):( this part failed)?/gm)];
  const idsOf = (failed: boolean) =>
    results.filter(([, , mark]) => (mark !== undefined) === failed).map(([, id = ""]) => id);
  return {
    question: noted.own.trim(),
    task: { id: noted.taskId, given: idsOf(false), missing: idsOf(true) },
  };
}

/** A plan as JSON text: a task for each piece of the question between two marks; none for one piece. */
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

/** Whether the task is to make the plan. */
export function isPlanning(task: SimulatedTask | undefined): boolean {
  return task?.id === PLAN_TASK_ID;
}
