/**
 * The tasks of a plan, run as soon as what they depend on is done.
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
import { CallerDisconnected } from "../call/caller_disconnected.ts";
import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";
import type { Breakdown } from "./breakdown.ts";
import { type PartOutcome, runPart } from "./run_part.ts";

/** Longest try of a task, in milliseconds. */
export const TASK_MS = 120_000;
/** Milliseconds of a request after which none of its tasks runs: what is left is for the answer. */
export const TASKS_MS = 480_000;
/** A task that failed is tried once more, on another model where there is one. */
const TRIES_MAX = 2;
/** What another model would be refused just the same. */
const FINAL_CODES: readonly ErrorCode[] = [
  "insufficient_balance",
  "key_budget_exceeded",
  "policy_denied",
  "context_length_exceeded",
  "shutting_down",
  "store_unavailable",
  "internal",
];

/** What is told of the tasks while they run. */
export type TaskEvent =
  /** A task begins; where it does so again, what it said before is void. */
  | { readonly type: "started"; readonly task: PlannedTask }
  | {
    readonly type: "text";
    readonly task: PlannedTask;
    readonly text: string;
    /** Catalog id of the model that says it. */
    readonly model: string | undefined;
  }
  | { readonly type: "ended"; readonly task: OrchestrationTask };

/** What the tasks of a plan need of their request. */
export interface TaskRunOptions {
  /** The request's. */
  readonly trace: RequestTrace;
  readonly breakdown: Breakdown;
  /** The planner's part, which has ended: it is told first. */
  readonly planned: OrchestrationTask;
  readonly tasks: readonly PlannedTask[];
  /** The request as a chat request. */
  readonly body: JsonBody;
  readonly endpoint: Endpoint;
  /** Most output of one task, in tokens. */
  readonly outputTokens: number;
  /** Most that a task may cost, by its id; a task that is not in it may cost what there is. */
  readonly allowances: ReadonlyMap<string, Micros>;
  /** Whether the caller is sent the text of tasks. */
  readonly isShown: boolean;
  /** Aborted where nobody waits for them: its reason is `left`, `cut` or `shutdown`. */
  readonly signal: AbortSignal;
}

/** Runs the tasks of one plan. */
export class TaskRun {
  readonly #gateway: GatewayContext;
  readonly #options: TaskRunOptions;
  readonly #done = new Map<string, string>();
  readonly #lost = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #events: TaskEvent[] = [];
  #wake: () => void = () => {};
  #hasBegun = false;
  /** What no task should throw; the run is over with it. */
  #bug: { readonly error: unknown } | undefined;

  constructor(gateway: GatewayContext, options: TaskRunOptions) {
    this.#gateway = gateway;
    this.#options = options;
    this.#events.push({ type: "ended", task: options.planned });
  }

  /** What came of the tasks, in the plan's order. */
  get results(): readonly TaskResult[] {
    return this.#options.tasks.map(({ taskId, title }) => ({
      taskId,
      title,
      text: this.#done.get(taskId),
    }));
  }

  /** Whether any task has a result. */
  get hasResult(): boolean {
    return this.#done.size > 0;
  }

  /** What is told next; `undefined` once every task has ended. Throws what is nobody's failure. */
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

  /** Resolves when nothing runs any more, which the signal brings about; no task begins then. */
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
      this.#tell({ type: "ended", task: this.#options.breakdown.add(task, { status: "skipped" }) });
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
    const { trace, breakdown, allowances, isShown } = this.#options;
    const part = trace.part({
      // Its title and id are words of a model.
      name: "task",
      stream: isShown && trace.caller.stream,
      allowance: allowances.get(task.taskId),
    });
    let outcome: PartOutcome | undefined;
    try {
      outcome = await this.#try(task, part);
    } finally {
      // Also where it was ended from outside: what it has cost until then is the request's.
      if (outcome?.ok) {
        this.#done.set(task.taskId, resultText(outcome, this.#options.outputTokens));
      } else this.#lost.add(task.taskId);
      const status = outcome?.ok ? "done" : "failed";
      this.#tell({ type: "ended", task: breakdown.add(task, { status, part }) });
    }
  }

  async #try(task: PlannedTask, part: RequestTrace): Promise<PartOutcome> {
    for (let tried = 1;; tried++) {
      const leftMs = TASKS_MS - this.#options.trace.elapsedMs;
      if (leftMs <= 0) return { ok: false, fault: new ServiceFault("upstream_timeout") };
      this.#tell({ type: "started", task });
      const outcome = await runPart(this.#gateway, {
        trace: part,
        body: this.#bodyOf(task),
        endpoint: this.#options.endpoint,
        instruction: task.instruction,
        needs: tried === 1 ? task.needs : [],
        avoid: new Set(part.attempts.map(({ model }) => model)),
        maxMs: Math.min(TASK_MS, leftMs),
        signal: this.#options.signal,
        onText: (text) => this.#tell({ type: "text", task, text, model: part.routing()?.model }),
      });
      if (outcome.ok || tried === TRIES_MAX) return outcome;
      // Without its needs, which one model alone may meet, it may be served all the same.
      const isPicky = task.needs.length > 0 && part.attempts.length === 0;
      if (!isPicky && !mayRetry(outcome.fault)) return outcome;
    }
  }

  #bodyOf(task: PlannedTask): JsonBody {
    const read = this.results.filter(({ taskId }) => task.dependsOn.includes(taskId));
    const { body, outputTokens } = this.#options;
    return partRequest(body, { note: taskNote(task, read), outputTokens });
  }

  #tell(event: TaskEvent): void {
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
  const kept = withinLimit(text, outputTokens);
  return isCut || kept.length < text.length ? `${kept} (cut off here: it was too long)` : text;
}
