import type { LoopShapes, ModelPort } from "../loop/mod.ts";
import { ORCHESTRATION_FINAL_TASK_ID, type OrchestrationTask } from "../protocol/mod.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * True for a chunk or an event of the reply, and false for one of a task that prepares it: the
 * filter for raw streams of requests that the service may split.
 *
 * @example Only the reply of a raw stream
 * ```ts
 * import { type ChatCompletionChunk, isReply } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const said = (content: string) => [{ index: 0, delta: { content }, finish_reason: null }];
 * const chunks = [
 *   { choices: said("Notes on tea."), orchestration: { task_id: "tea" } },
 *   { choices: said("Drink tea."), orchestration: { task_id: "final" } },
 *   { choices: said(" Or water.") },
 * ] as ChatCompletionChunk[];
 * const reply = chunks.filter(isReply).map(({ choices }) => choices[0]?.delta.content);
 * assertEquals(reply, ["Drink tea.", " Or water."]);
 * ```
 */
export function isReply(chunk: object): boolean {
  const { orchestration }: Fields = Object(chunk);
  const task: unknown = Object(orchestration)["task_id"];
  return task === undefined || task === ORCHESTRATION_FINAL_TASK_ID;
}

/** Progress of a task of a split request. */
export type TaskProgress =
  & {
    /** Id of the task; never that of the reply. */
    readonly taskId: string;
    /** Title of the task, for people. */
    readonly title: string;
  }
  & (
    /** The task begins. A second beginning voids the task's earlier text. */
    | { readonly type: "started" }
    /** The next piece of the task's text. */
    | { readonly type: "text"; readonly text: string }
    /** The task has ended, with its status, model and charge. */
    | { readonly type: "ended"; readonly task: OrchestrationTask }
  );

/**
 * Receives the progress of tasks; a returned promise is awaited.
 *
 * @example
 * ```ts
 * import type { OnTask } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const titles: string[] = [];
 * const onTask: OnTask = ({ type, title }) => {
 *   if (type === "started") titles.push(title);
 * };
 * await onTask({ type: "started", taskId: "tea", title: "About tea" });
 * assertEquals(titles, ["About tea"]);
 * ```
 */
export type OnTask = (progress: TaskProgress) => unknown;

/** Returns the task progress in a chunk or an event; `undefined` when it belongs to no task. */
export function taskProgress(chunk: unknown): TaskProgress | undefined {
  const fields: Fields = Object(chunk);
  if (isReply(fields)) return undefined;
  const about: Fields = Object(fields["orchestration"]);
  const { task_id: taskId, title, status } = about;
  if (typeof taskId !== "string") return undefined;
  const task = { taskId, title: typeof title === "string" ? title : taskId };
  if (status === "started") return { ...task, type: "started" };
  if (status !== undefined) return { ...task, type: "ended", task: about as OrchestrationTask };
  const text = textOf(fields);
  return text === "" ? undefined : { ...task, type: "text", text };
}

/** Returns the same turns, and passes the progress of tasks to a callback. */
export function reportingTasks<S extends LoopShapes>(
  model: ModelPort<S>,
  onTask: OnTask | undefined,
): ModelPort<S> {
  if (onTask === undefined) return model;
  return {
    async *turn(request) {
      for await (const event of model.turn(request)) {
        const progress = event.type === "chunk" ? taskProgress(event.chunk) : undefined;
        if (progress !== undefined) await onTask(progress);
        yield event;
      }
    },
  };
}

/** Returns the text of a chat chunk's first choice, or of a Responses event. */
function textOf({ choices, delta }: Fields): string {
  if (typeof delta === "string") return delta;
  const [choice] = Array.isArray(choices) ? choices : [];
  const content: unknown = Object(Object(choice)["delta"])["content"];
  return typeof content === "string" ? content : "";
}
