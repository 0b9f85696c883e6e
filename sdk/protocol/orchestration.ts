/**
 * Shapes of requests that several models serve: split into tasks, or verified.
 *
 * @module
 */

import type { ChatUsage } from "./chat_usage.ts";
import type { Extensible } from "./extensible.ts";

/** One sub-task of an orchestrated request. */
export interface OrchestrationTask extends Extensible {
  /**
   * Unique in the request: `plan`, {@linkcode ORCHESTRATION_FINAL_TASK_ID}, the planner's own, or
   * `verify-1` and so on for models that verify an answer.
   */
  task_id: string;
  /** Title of the task, for people. */
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

/** The tasks of a split request. */
export interface Orchestration extends Extensible {
  /** Every task, planner and synthesis included. */
  tasks: OrchestrationTask[];
  /** The task whose text is the reply. */
  final_task_id: string;
}

/** Which task of an orchestrated request a chunk belongs to. */
export interface ChunkOrchestration extends Extensible {
  /** The reply is the text of {@linkcode ORCHESTRATION_FINAL_TASK_ID} alone. */
  task_id: string;
  /** Title of the task, for people. */
  title?: string;
  /**
   * Set where the task begins and where it ends. One that begins again does so from its start: what
   * it said before is void.
   */
  status?: "started" | OrchestrationTask["status"];
}
