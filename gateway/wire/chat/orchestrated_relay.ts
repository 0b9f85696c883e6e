import {
  type ErrorEnvelope,
  type Orchestration,
  ORCHESTRATION_FINAL_TASK_ID,
} from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerEnd, FailedEnd } from "../answer_relay.ts";
import type { ChatRelayOptions } from "./chunk_relay.ts";
import { ChunkRelayBase } from "./chunk_relay_base.ts";
import { editMembers } from "../json/text.ts";
import { SSE_DONE, sseEvent } from "../sse.ts";

/** Facts of a split request at the beginning of its answer. */
export interface OrchestratedChatOptions extends ChatRelayOptions {
  /** Id of the whole stream. */
  readonly id: string;
  /**
   * False when its tasks only verify an answer: then a failure has its own code even before any text.
   * @default {true}
   */
  readonly isSplit?: boolean | undefined;
  /** Returns the tasks and their costs, once the answer has ended. */
  breakdown(end: FailedEnd & { readonly isDone: boolean }): Orchestration;
}

/** The answer of a split request as events, each marked as the final task's. */
export class OrchestratedChatRelay extends ChunkRelayBase {
  readonly #options: OrchestratedChatOptions;
  readonly #mark: Readonly<Record<"id" | "orchestration", string>>;

  /** `model` is the catalog id that callers see. */
  constructor(model: string, options: OrchestratedChatOptions) {
    super(model, options);
    this.#options = options;
    this.#mark = {
      id: JSON.stringify(options.id),
      orchestration: JSON.stringify({ task_id: ORCHESTRATION_FINAL_TASK_ID, title: "Answer" }),
    };
  }

  override accept(text: string): string {
    const forwarded = this.chunks.accept(text);
    return forwarded === undefined ? "" : sseEvent(editMembers(forwarded, this.#mark));
  }

  override completed({ metadata, usage, completedSeconds }: AnswerEnd): Iterable<string> {
    const orchestration = {
      task_id: ORCHESTRATION_FINAL_TASK_ID,
      ...this.#options.breakdown({ metadata, usage, isDone: true }),
    };
    const chunks = this.chunks.closing({
      metadata,
      usage: billedUsage({ metadata, usage }),
      createdSeconds: completedSeconds,
      mark: this.#mark,
      more: { orchestration: JSON.stringify(orchestration) },
    });
    return [chunks.map(sseEvent).join("") + SSE_DONE];
  }

  /** Sends one event with the error; before any text of the answer, the orchestration failed. */
  override failed({ error, ...envelope }: ErrorEnvelope, end: FailedEnd): Iterable<string> {
    const isLost = this.#options.isSplit !== false && this.chunks.delivered.length === 0;
    const code = isLost ? "orchestration_failed" : error.code;
    const orchestration = this.#options.breakdown({ ...end, isDone: false });
    const event = { ...envelope, error: { ...error, code }, choices: [], orchestration };
    return [sseEvent(JSON.stringify(event))];
  }
}

/** Returns the billed tokens of all calls together. */
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
