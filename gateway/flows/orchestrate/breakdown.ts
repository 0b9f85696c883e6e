import {
  type BillingMetadata,
  type Orchestration,
  ORCHESTRATION_FINAL_TASK_ID,
  type OrchestrationTask,
} from "@svc/sdk/protocol";
import { formatCredits } from "../../domain/ledger/money.ts";
import { PLAN_TASK_ID, type PlannedTask } from "../../domain/orchestration/task_plan.ts";
import { chatUsageOf } from "../../wire/chat/usage.ts";
import { microsOf } from "../request/billing.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** The outcome of a task. */
export type TaskStatus = OrchestrationTask["status"];

const NOTHING: Pick<BillingMetadata, "charged"> = { charged: formatCredits(0n) };

/** The cost of a split request by its parts, which add up to the whole bill. */
export class Breakdown {
  readonly #active: ActiveRequest;
  readonly #parts: OrchestrationTask[] = [];
  #order: readonly string[];

  /**
   * `active` is the request: the cost of its parts is added to its bill. `order`: ids of the tasks, if
   * they are known.
   */
  constructor(active: ActiveRequest, order: readonly string[] = []) {
    this.#active = active;
    this.#order = order;
  }

  /** Adds the part of the planner, whose calls have ended. */
  planned(part: ActiveRequest, tasks: readonly PlannedTask[]): OrchestrationTask {
    this.#order = tasks.map(({ taskId }) => taskId);
    const task = { taskId: PLAN_TASK_ID, title: "Plan", dependsOn: [] };
    return this.add(task, { status: tasks.length > 0 ? "done" : "failed", part });
  }

  /** Adds a task that has ended and whose calls are settled. */
  add(
    { taskId, title, dependsOn }: Pick<PlannedTask, "taskId" | "title" | "dependsOn">,
    { status, part }: { readonly status: TaskStatus; readonly part?: ActiveRequest | undefined },
  ): OrchestrationTask {
    const billed = part?.bill.settled;
    if (part !== undefined) this.#active.join(part, status === "done" ? {} : { error: status });
    const model = part?.report.routing()?.model;
    const task: OrchestrationTask = {
      task_id: taskId,
      title,
      depends_on: [...dependsOn],
      status,
      ...(model === undefined ? {} : { model }),
      ...(billed === undefined ? {} : { usage: usageOf(billed) }),
      charged: (billed ?? NOTHING).charged,
    };
    this.#parts.push(task);
    this.#active.report.noteTask({
      taskId,
      dependsOn,
      status,
      model,
      provider: part?.report.routing()?.provider,
      startMs: part?.startMs,
      ms: part?.elapsedMs,
      inputTokens: billed?.input_tokens ?? 0,
      cachedInputTokens: billed?.cached_input_tokens ?? 0,
      outputTokens: billed?.output_tokens ?? 0,
      charged: task.charged ?? NOTHING.charged,
      others: part?.otherUses(),
      attempts: part?.report.attempts ?? [],
    }, part?.report);
    return task;
  }

  /**
   * Returns all parts with the answer: `billed` is the whole bill of the request, the call of the
   * answer included.
   */
  whole(
    status: TaskStatus,
    { billed, model }: {
      readonly billed: BillingMetadata | undefined;
      readonly model?: string | undefined;
    },
  ): Orchestration {
    const parts = this.#parts.reduce((sum, { charged = "0" }) => sum + microsOf({ charged }), 0n);
    const charged = billed === undefined ? 0n : microsOf(billed) - parts;
    const tokens = billed === undefined ? undefined : this.#ownTokens(billed);
    const final: OrchestrationTask = {
      task_id: ORCHESTRATION_FINAL_TASK_ID,
      title: "Answer",
      depends_on: [...this.#order],
      status,
      ...(model === undefined ? {} : { model }),
      ...(tokens === undefined ? {} : { usage: tokens }),
      charged: formatCredits(charged),
    };
    const position = ({ task_id }: OrchestrationTask) => this.#order.indexOf(task_id);
    const tasks = [...this.#parts].sort((one, other) => position(one) - position(other));
    return { tasks: [...tasks, final], final_task_id: ORCHESTRATION_FINAL_TASK_ID };
  }

  /** Returns the tokens of the answer's call: the whole without the other parts. */
  #ownTokens(billed: BillingMetadata): OrchestrationTask["usage"] {
    let inputTokens = billed.input_tokens;
    let cachedInputTokens = billed.cached_input_tokens;
    let outputTokens = billed.output_tokens;
    for (const { usage } of this.#parts) {
      inputTokens -= usage?.prompt_tokens ?? 0;
      cachedInputTokens -= usage?.prompt_tokens_details?.cached_tokens ?? 0;
      outputTokens -= usage?.completion_tokens ?? 0;
    }
    if (inputTokens === 0 && outputTokens === 0) return undefined;
    return chatUsageOf({ inputTokens, cachedInputTokens, outputTokens });
  }
}

/** Returns the tokens of a bill, in the shape of Chat Completions. */
export function usageOf(billed: BillingMetadata): NonNullable<OrchestrationTask["usage"]> {
  return chatUsageOf({
    inputTokens: billed.input_tokens,
    cachedInputTokens: billed.cached_input_tokens,
    outputTokens: billed.output_tokens,
  });
}
