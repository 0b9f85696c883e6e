import type { ChatCompletionChunk } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { besideText, collectText } from "../chat/text.ts";
import type { ChunkContent, Fields } from "../chat/chunk.ts";
import { CollectedText } from "../text/collected_text.ts";
import type { CharBudget } from "../text/char_budget.ts";
import { OpaqueMembers } from "../chat/opaque_members.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "../chat/text_chunk.ts";
import { ToolCallIndexes } from "../chat/tool_call_indexes.ts";
import { laterUsage, readChatUsage } from "../chat/usage.ts";
import { HeldMessage } from "./held_message.ts";
import type { CallItem } from "./stream_items.ts";

/** Maximum number of chunks that are examined for a pattern: some streams have none. */
const PATTERNS_MAX = 8;

/** State of a model's turn while its chunks arrive. */
export class ResponseTurn {
  /** Number of output items of earlier turns. */
  readonly start: number;
  /** Its calls, in order of their first pieces. */
  readonly calls: CallItem[] = [];
  /** Assigns pieces to the calls. */
  readonly indexes = new ToolCallIndexes();
  /** Opaque members of its message. */
  readonly opaque = new OpaqueMembers();
  /** Content of its message, while it may be replaced by a later turn's. */
  held: HeldMessage | undefined;
  /** Text that Responses has no field for; it is charged all the same. */
  readonly unsent = new CollectedText();
  /** True when all of it has arrived. */
  ended = false;
  /** Finish reason of the model. */
  finishReason: string | undefined;
  /** Usage as last reported. */
  usage: Usage | undefined;
  /** Reported usage in the upstream's own shape. */
  reportedUsage: unknown;
  readonly #callIds = new Set<string>();
  #pattern: TextChunkPattern | undefined;
  #patternsLeft = PATTERNS_MAX;

  /** `isHeld`: its message counts only where no turn follows. */
  constructor({ start, isHeld }: { readonly start: number; readonly isHeld: boolean }) {
    this.start = start;
    this.held = isHeld ? new HeldMessage() : undefined;
  }

  /** Returns the text that a chunk adds, where the chunk is of the known pattern. */
  writtenIn(text: string): string | undefined {
    return this.#pattern && patternText(text, this.#pattern);
  }

  /** Takes the members of a chunk that concern the whole turn; `text` is the chunk's. */
  note({ value, delta, usage, finishReason }: ChunkContent, text: string): void {
    this.finishReason ??= finishReason;
    const read = laterUsage(this.usage, readChatUsage(usage));
    if (read !== this.usage) {
      this.usage = read;
      this.reportedUsage = usage;
    }
    if (this.#patternsLeft === 0 || delta === undefined) return;
    this.#patternsLeft -= 1;
    this.#pattern = textChunkPattern(text, value as unknown as ChatCompletionChunk) ??
      this.#pattern;
  }

  /** Collects the text of a delta that Responses has no field for. */
  noteBeside(
    delta: Fields,
    { eventChars, budget }: { readonly eventChars: number; readonly budget: CharBudget },
  ): void {
    collectText(besideText(delta), {
      push: (piece) => {
        budget.add(piece.length);
        this.unsent.push(piece, eventChars);
      },
    });
  }

  /** Ends the turn here; usage that was reported before no longer holds. */
  limitReached(): void {
    this.finishReason = "length";
    if (!this.ended) this.reportedUsage = undefined;
  }

  /** Two calls of one id could not be answered separately: the second gets another. */
  nameCall(call: CallItem, id: unknown): void {
    if (typeof id !== "string" || id === "" || this.#callIds.has(id)) return;
    this.#callIds.add(id);
    call.callId = id;
  }
}
