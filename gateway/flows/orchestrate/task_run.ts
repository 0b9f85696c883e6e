/**
 * The tasks of a plan, each run as soon as the tasks it depends on are done.
 *
 * @module
 */

import type { Endpoint, ErrorCode, OrchestrationTask } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { Micros } from "../../domain/ledger/money.ts";
import { withinLimit } from "../../domain/orchestration/plan_limits.ts";
import { taskNote, type TaskResult } from "../../domain/orchestration/task_notes.ts";
import { nextTasks, type PlannedTask } from "../../domain/orchestration/task_plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { partRequest } from "../../wire/chat/noted_request.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { Breakdown } from "./breakdown.ts";
import { type PartDeps, type PartOutcome, runPart } from "./run_part.ts";

/** Maximum duration of one run of a task, in milliseconds. */
export const TASK_MS = 120_000;
/** Time of a request after which no task runs, in milliseconds: the rest is for the answer. */
export const TASKS_MS = 480_000;
/** Maximum runs of a task: a failed task is run once more, on another model if there is one. */
const TRIES_MAX = 2;
/** Codes of failures that would be the same with another model. */
const FINAL_CODES: readonly ErrorCode[] = [
  "insufficient_balance",
  "key_budget_exceeded",
  "wallet_closed",
  "policy_denied",
  "context_length_exceeded",
  "shutting_down",
  "store_unavailable",
  "internal",
];

/** An event of a running plan. */
export type TaskEvent =
  /** A task begins. If it begins again, its earlier text is void. */
  | { readonly type: "started"; readonly task: PlannedTask }
  | {
    readonly type: "text";
    readonly task: PlannedTask;
    readonly text: string;
    /** Catalog id of the model that writes it. */
    readonly model: string | undefined;
  }
  | { readonly type: "ended"; readonly task: OrchestrationTask };

/** Options of the tasks of a plan. */
export interface TaskRunOptions {
  /** The request's. */
  readonly active: ActiveRequest;
  readonly breakdown: Breakdown;
  /** Part of the planner, which has ended: it is reported first. */
  readonly planned: OrchestrationTask;
  readonly tasks: readonly PlannedTask[];
  /** The body as a chat completion request. */
  readonly body: JsonBody;
  readonly endpoint: Endpoint;
  /** Maximum output of one task, in tokens. */
  readonly outputTokens: number;
  /** Maximum cost of a task, by its id; a task without an entry has no cap of its own. */
  readonly allowances: ReadonlyMap<string, Micros>;
  /** True when the caller is sent the text of tasks. */
  readonly isShown: boolean;
  /** Aborted when the tasks are no longer needed: its reason is `left`, `cut` or `shutdown`. */
  readonly signal: AbortSignal;
}

/** Runs the tasks of one plan. */
export class TaskRun {
  readonly #deps: PartDeps;
  readonly #options: TaskRunOptions;
  readonly #done = new Map<string, string>();
  readonly #lost = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #events: TaskEvent[] = [];
  #wake: () => void = () => {};
  #hasBegun = false;
  /** An exception that no task should throw; it ends the run. */
  #bug: { readonly error: unknown } | undefined;

  constructor(deps: PartDeps, options: TaskRunOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#events.push({ type: "ended", task: options.planned });
  }

  /** Results of the tasks, in the order of the plan. */
  get results(): readonly TaskResult[] {
    return this.#options.tasks.map(({ taskId, title }) => ({
      taskId,
      title,
      text: this.#done.get(taskId),
    }));
  }

  /** True when any task has a result. */
  get hasResult(): boolean {
    return this.#done.size > 0;
  }

  /**
   * Returns the next event; `undefined` once every task has ended. Throws an exception that is no
   * failure of a task.
   */
  async next(): Promise<TaskEvent | undefined> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#goOn();
    }
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#bug !== undefined) throw this.#bug.error;
      if (this.#running.size === 0) return undefined;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  /**
   * Resolves when no task runs any more, which the signal brings about; no task begins afterwards.
   */
  async ended(): Promise<void> {
    this.#hasBegun = true;
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #goOn(): void {
    if (this.#options.signal.aborted || this.#bug !== undefined) return;
    const states = {
      done: new Set(this.#done.keys()),
      lost: this.#lost,
      running: new Set(this.#running.keys()),
    };
    const { begin, skip } = nextTasks(this.#options.tasks, states);
    for (const task of skip) {
      this.#lost.add(task.taskId);
      this.#report({
        type: "ended",
        task: this.#options.breakdown.add(task, { status: "skipped" }),
      });
    }
    for (const task of begin) {
      const running = this.#run(task).catch((error) => {
        if (!(error instanceof CallerDisconnected)) this.#bug ??= { error };
      }).finally(() => {
        this.#running.delete(task.taskId);
        this.#goOn();
        this.#wake();
      });
      this.#running.set(task.taskId, running);
    }
  }

  async #run(task: PlannedTask): Promise<void> {
    const { active, breakdown, allowances, isShown } = this.#options;
    const part = active.part({
      // The title and the id of a task are text of a model: the span has neither.
      name: "task",
      stream: isShown && active.identity.stream,
      allowance: allowances.get(task.taskId),
    });
    let outcome: PartOutcome | undefined;
    try {
      outcome = await this.#try(task, part);
    } finally {
      // A task that was aborted has a cost, too, which belongs to the request.
      if (outcome?.ok) {
        this.#done.set(task.taskId, resultText(outcome, this.#options.outputTokens));
      } else this.#lost.add(task.taskId);
      const status = outcome?.ok ? "done" : "failed";
      this.#report({ type: "ended", task: breakdown.add(task, { status, part }) });
    }
  }

  async #try(task: PlannedTask, part: ActiveRequest): Promise<PartOutcome> {
    for (let tried = 1;; tried++) {
      const remainingMs = TASKS_MS - this.#options.active.elapsedMs;
      if (remainingMs <= 0) return { ok: false, fault: new ServiceFault("upstream_timeout") };
      this.#report({ type: "started", task });
      const outcome = await runPart(this.#deps, {
        active: part,
        body: this.#bodyOf(task),
        endpoint: this.#options.endpoint,
        instruction: task.instruction,
        needs: tried === 1 ? task.needs : [],
        avoid: new Set(part.report.attempts.map(({ model }) => model)),
        maxMs: Math.min(TASK_MS, remainingMs),
        signal: this.#options.signal,
        onText: (text) =>
          this.#report({ type: "text", task, text, model: part.report.routing()?.model }),
      });
      if (outcome.ok || tried === TRIES_MAX) return outcome;
      // Without its needs, which only one model may meet, it may be served all the same.
      const isPicky = task.needs.length > 0 && part.report.attempts.length === 0;
      if (!isPicky && !mayRetry(outcome.fault)) return outcome;
    }
  }

  #bodyOf(task: PlannedTask): JsonBody {
    const results = this.results.filter(({ taskId }) => task.dependsOn.includes(taskId));
    const { body, outputTokens } = this.#options;
    return partRequest(body, { note: taskNote(task, results), outputTokens });
  }

  #report(event: TaskEvent): void {
    if (event.type === "text" && !this.#options.isShown) return;
    this.#events.push(event);
    this.#wake();
  }
}

function mayRetry({ code }: ServiceFault): boolean {
  return !FINAL_CODES.includes(code);
}

function resultText(
  { text, isCut }: Extract<PartOutcome, { ok: true }>,
  outputTokens: number,
): string {
  const bounded = withinLimit(text, outputTokens);
  return isCut || bounded.length < text.length
    ? `${bounded} (cut off here: it was too long)`
    : text;
}
