import type { AnswerOf } from "../../../admin_api/operations.ts";

/** The tasks with their sums. */
export type TaskList = AnswerOf<"GET /routing/tasks">;
/** A task in the list. */
export type TaskSummary = TaskList["tasks"][number];
/** One task. */
export type Task = AnswerOf<"GET /routing/tasks/{task}">;
/** An estimated quality with its interval; `null` where there is none. */
export type Quality = TaskSummary["quality"];
/** The dial, tried on recorded decisions. */
export type Replay = AnswerOf<"GET /routing/replay">;
/** One way of routing the recorded decisions. */
export type ReplayResult = Replay["tried"];
/** The audits that a daily budget buys. */
export type AuditBudget = AnswerOf<"GET /routing/audit-budget">;
/** The stored snapshots. */
export type Snapshots = AnswerOf<"GET /routing/snapshots">;

/** Digits of a fingerprint that are shown: they identify a task among thousands. */
const DIGITS = 8;

/** The shown digits of a fingerprint. */
export function taskDigits(task: string): string {
  return task.slice(0, DIGITS);
}

/** The page of a task. */
export function taskHref(task: string): string {
  return `/console/routing/${encodeURIComponent(task)}`;
}

/** The requests of a task. */
export function taskRequestsHref(task: string): string {
  return `/console/requests?${new URLSearchParams({ task: taskDigits(task) })}`;
}
