import {
  type ChatCompletionChunk,
  type ChunkChoice,
  type ChunkOrchestration,
  type Dialect,
  MODEL_AUTO,
  type OrchestrationTask,
} from "@svc/sdk/protocol";
import { sseEvent } from "../sse.ts";

/** Name of a task in its chunks. */
export interface ChunkTask {
  readonly taskId: string;
  readonly title: string;
}

/**
 * Writes the tasks of a split request as chat chunks, none with a finish. In the dialect `openai`
 * each has a choice.
 */
export class TaskChunks {
  readonly #head: Pick<ChatCompletionChunk, "id" | "object" | "created">;

  readonly #ended: readonly ChunkChoice[];

  /** `id` is that of the whole stream. */
  constructor({ id, createdSeconds, dialect }: {
    readonly id: string;
    readonly createdSeconds: number;
    readonly dialect: Dialect;
  }) {
    this.#ended = dialect === "openai" ? [choiceOf({})] : [];
    this.#head = { id, object: "chat.completion.chunk", created: createdSeconds };
  }

  /** Returns the event of a task that begins, or begins again. */
  started({ taskId, title }: ChunkTask): string {
    const choice = choiceOf({ role: "assistant", content: "" });
    return this.#event([choice], { task_id: taskId, title, status: "started" });
  }

  /** Returns the event of a piece of its text. */
  text({ taskId, title }: ChunkTask, text: string, model = MODEL_AUTO): string {
    return this.#event([choiceOf({ content: text })], { task_id: taskId, title }, model);
  }

  /** Returns the event of a task that has ended. */
  ended(task: OrchestrationTask): string {
    return this.#event(this.#ended, { ...task }, task.model);
  }

  #event(
    choices: readonly ChunkChoice[],
    orchestration: ChunkOrchestration,
    model = MODEL_AUTO,
  ): string {
    return sseEvent(JSON.stringify({ ...this.#head, model, choices, orchestration }));
  }
}

function choiceOf(delta: ChunkChoice["delta"]): ChunkChoice {
  return { index: 0, delta, finish_reason: null };
}
