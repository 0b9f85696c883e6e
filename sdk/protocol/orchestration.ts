/**
 * What is told of a request that was split into tasks.
 *
 * @module
 */

import type { ChatUsage } from "./chat.ts";
import type { Extensible } from "./extensible.ts";

/**
 * One sub-task of an orchestrated request.
 *
 * @example
 * ```ts
 * import type { OrchestrationTask } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tasks: OrchestrationTask[] = [
 *   { task_id: "plan", title: "Plan", depends_on: [], status: "done", charged: "0.100000" },
 *   {
 *     task_id: "final",
 *     title: "Answer",
 *     depends_on: ["plan"],
 *     status: "done",
 *     charged: "0.312000",
 *   },
 * ];
 * const charged = tasks.reduce((sum, task) => sum + Number(task.charged ?? 0), 0);
 * assertEquals(charged.toFixed(6), "0.412000");
 * ```
 */
export interface OrchestrationTask extends Extensible {
  /** Unique in the request: `plan`, {@linkcode ORCHESTRATION_FINAL_TASK_ID}, or the planner's own. */
  task_id: string;
  /** What it does, for people. */
  title: string;
  /** Ids of the tasks whose results it reads. */
  depends_on: string[];
  /** `skipped`: a task it depends on failed. */
  status: "done" | "failed" | "skipped";
  /** Catalog id of the model that served it; absent where none did. */
  model?: string;
  /** Its own tokens; absent where nothing was called. */
  usage?: ChatUsage;
  /** Credits, decimal string. */
  charged?: string;
}

/**
 * What an orchestrated request was split into.
 *
 * @example
 * ```ts
 * import type { Orchestration } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const { tasks, final_task_id }: Orchestration = {
 *   tasks: [
 *     { task_id: "prices", title: "Look prices up", depends_on: [], status: "failed" },
 *     { task_id: "final", title: "Answer", depends_on: ["prices"], status: "skipped" },
 *   ],
 *   final_task_id: "final",
 * };
 * assertEquals(tasks.find(({ task_id }) => task_id === final_task_id)?.status, "skipped");
 * ```
 */
export interface Orchestration extends Extensible {
  /** Every task, planner and synthesis included. */
  tasks: OrchestrationTask[];
  /** The task whose text is the reply. */
  final_task_id: string;
}

/**
 * Which task of an orchestrated request a chunk belongs to.
 *
 * @example
 * ```ts
 * import { type ChunkOrchestration, ORCHESTRATION_FINAL_TASK_ID } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tasks: ChunkOrchestration[] = [
 *   { task_id: "prices", title: "Look prices up" },
 *   { task_id: ORCHESTRATION_FINAL_TASK_ID },
 * ];
 * const isReply = tasks.map(({ task_id }) => task_id === ORCHESTRATION_FINAL_TASK_ID);
 * assertEquals(isReply, [false, true]);
 * ```
 */
export interface ChunkOrchestration extends Extensible {
  /** The reply is the text of {@linkcode ORCHESTRATION_FINAL_TASK_ID} alone. */
  task_id: string;
  /** What the task does, for people. */
  title?: string;
  /**
   * Set where the task begins and where it ends. One that begins again does so from its start: what
   * it said before is void.
   */
  status?: "started" | OrchestrationTask["status"];
}
