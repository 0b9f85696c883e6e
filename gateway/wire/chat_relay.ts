import type { ErrorEnvelope } from "@svc/sdk/protocol";
import type { Usage } from "../domain/pricing.ts";
import type { AnswerEnd, AnswerRelay, SignedToolCall } from "./answer_relay.ts";
import { ChatChunkRelay } from "./chat_chunk.ts";
import { SSE_DONE, sseEvent, sseLine } from "./sse.ts";
import { chatUsageOf } from "./usage.ts";

/** A chat answer as the events of its stream: chunks, and `[DONE]`. */
export class ChatRelay implements AnswerRelay {
  readonly #chunks: ChatChunkRelay;

  /** `model` is the catalog id that callers are shown; `maxTokens`: see `DeliveredText`. */
  constructor(model: string, maxTokens?: number) {
    this.#chunks = new ChatChunkRelay(model, maxTokens);
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
    if (forwarded === undefined) return "";
    // No edit adds a line break, and the text as it came is in one piece: looking there is cheaper.
    return text.includes("\n") ? sseEvent(forwarded) : sseLine(forwarded);
  }

  callerLeft(): void {
    this.#chunks.callerLeft();
  }

  /** A clean end is one, with or without a finish: what is missing is made up for. */
  upstreamEnded(): void {}

  completed({ metadata, usage, completedSeconds }: AnswerEnd): Iterable<string> {
    const owed = this.#chunks.missingFinishes(completedSeconds).map(sseEvent).join("");
    const last = this.#chunks.lastChunk(metadata, {
      usage: chatUsageOf(usage),
      createdSeconds: completedSeconds,
    });
    return [owed + sseEvent(last) + SSE_DONE];
  }

  /** One event that says so, and never a clean end. */
  failed(envelope: ErrorEnvelope): Iterable<string> {
    return [sseEvent(JSON.stringify({ ...envelope, choices: [] }))];
  }
}
