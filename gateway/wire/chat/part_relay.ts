import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerRelay, SignedToolCall } from "../answer_relay.ts";
import { collectText, contentOf } from "./text.ts";
import { readChunk } from "./chunk.ts";
import { CollectedText } from "../text/collected_text.ts";
import { CharBudget } from "../text/char_budget.ts";
import { laterUsage, readChatUsage } from "./usage.ts";

/**
 * Relays a streamed chat answer to the service itself: returns the model's text, a piece at a time,
 * instead of events.
 */
export class PartRelay implements AnswerRelay {
  usage: Usage | undefined;
  readonly #delivered = new CollectedText();
  #hasLeft = false;
  readonly toolCalls: readonly SignedToolCall[] = [];
  /** Finish reason of Chat Completions; absent where the upstream gave none. */
  finishReason: string | undefined;
  readonly #budget = new CharBudget();

  get delivered(): readonly string[] {
    return this.#delivered.pieces();
  }

  get deliveredChars(): number {
    return this.#delivered.length;
  }

  get finished(): boolean {
    return this.finishReason !== undefined;
  }

  accept(text: string): string {
    const { delta = {}, usage, finishReason } = readChunk(text);
    this.usage = laterUsage(this.usage, readChatUsage(usage));
    this.finishReason ??= finishReason;
    this.#budget.add(text.length);
    if (!this.#hasLeft) collectText(delta, this.#delivered);
    return contentOf(delta);
  }

  callerDisconnected(): void {
    this.#hasLeft = true;
  }

  limitReached(): void {
    this.finishReason = "length";
  }

  upstreamEnded(): void {}

  completed(): Iterable<string> {
    return [];
  }

  failed(): Iterable<string> {
    return [];
  }
}
