import {
  type ErrorEnvelope,
  type Orchestration,
  ORCHESTRATION_FINAL_TASK_ID,
} from "@svc/sdk/protocol";
import type { Usage } from "../domain/pricing.ts";
import type { AnswerEnd, AnswerRelay, FailedEnd, SignedToolCall } from "./answer_relay.ts";
import { ChatChunkRelay } from "./chat_chunk.ts";
import { editMembers } from "./json_text.ts";
import { SSE_DONE, sseEvent } from "./sse.ts";
import { chatUsageOf } from "./usage.ts";

/** What is known of a split request when its answer begins. */
export interface OrchestratedChatOptions {
  /** Of the whole stream. */
  readonly id: string;
  /** See `DeliveredText`. */
  readonly maxTokens?: number | undefined;
  /** The parts and what they cost, once the answer has ended. */
  breakdown(end: FailedEnd & { readonly isDone: boolean }): Orchestration;
}

/** The answer of a split request as the events of its stream, each marked as the final task's. */
export class OrchestratedChatRelay implements AnswerRelay {
  readonly #chunks: ChatChunkRelay;
  readonly #options: OrchestratedChatOptions;
  readonly #mark: Readonly<Record<"id" | "orchestration", string>>;

  /** `model` is the catalog id that callers are shown. */
  constructor(model: string, options: OrchestratedChatOptions) {
    this.#chunks = new ChatChunkRelay(model, options.maxTokens);
    this.#options = options;
    this.#mark = {
      id: JSON.stringify(options.id),
      orchestration: JSON.stringify({ task_id: ORCHESTRATION_FINAL_TASK_ID, title: "Answer" }),
    };
  }

  get usage(): Usage | undefined {
    return this.#chunks.usage;
  }

  get delivered(): readonly string[] {
    return this.#chunks.delivered;
  }

  get deliveredChars(): number {
    return this.#chunks.deliveredChars;
  }

  get usedUpBy(): number | undefined {
    return this.#chunks.usedUpBy;
  }

  get finished(): boolean {
    return this.#chunks.finished;
  }

  get toolCalls(): readonly SignedToolCall[] {
    return this.#chunks.toolCalls;
  }

  accept(text: string): string {
    const forwarded = this.#chunks.accept(text);
    return forwarded === undefined ? "" : sseEvent(editMembers(forwarded, this.#mark));
  }

  callerLeft(): void {
    this.#chunks.callerLeft();
  }

  upstreamEnded(): void {}

  completed({ metadata, usage, completedSeconds }: AnswerEnd): Iterable<string> {
    const owed = this.#chunks.missingFinishes(completedSeconds)
      .map((chunk) => sseEvent(editMembers(chunk, this.#mark))).join("");
    const last = this.#chunks.lastChunk(metadata, { usage, createdSeconds: completedSeconds });
    const orchestration = {
      task_id: ORCHESTRATION_FINAL_TASK_ID,
      ...this.#options.breakdown({ metadata, usage, isDone: true }),
    };
    const whole = editMembers(last, {
      ...this.#mark,
      usage: JSON.stringify(chatUsageOf(billedUsage({ metadata, usage }))),
      orchestration: JSON.stringify(orchestration),
    });
    return [owed + sseEvent(whole) + SSE_DONE];
  }

  /** One event that says so; before any text of the answer it is the orchestration that failed. */
  failed({ error, ...envelope }: ErrorEnvelope, end: FailedEnd): Iterable<string> {
    const isUnbegun = this.#chunks.deliveredChars === 0 && this.#chunks.usedUpBy === undefined;
    const code = isUnbegun ? "orchestration_failed" : error.code;
    const orchestration = this.#options.breakdown({ ...end, isDone: false });
    const event = { ...envelope, error: { ...error, code }, choices: [], orchestration };
    return [sseEvent(JSON.stringify(event))];
  }
}

/** Tokens of all calls together, as they are billed. */
function billedUsage(
  { metadata: { billing }, usage }: Pick<AnswerEnd, "metadata" | "usage">,
): Usage {
  if (billing === undefined) return usage;
  return {
    inputTokens: billing.input_tokens,
    cachedInputTokens: billing.cached_input_tokens,
    outputTokens: billing.output_tokens,
  };
}
