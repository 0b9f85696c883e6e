import type { ChatCompletionChunk } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { besideText, collectText } from "../chat/text.ts";
import type { ChunkContent, Fields } from "../chat/chunk.ts";
import { CollectedText } from "../text/collected_text.ts";
import type { KeptChars } from "../text/kept_chars.ts";
import { OpaqueMembers } from "../chat/opaque_members.ts";
import { patternText, type TextChunkPattern, textChunkPattern } from "../chat/text_chunk.ts";
import { ToolCallIndexes } from "../chat/tool_call_indexes.ts";
import { laterUsage, readChatUsage } from "../chat/usage.ts";
import { HeldMessage } from "./held_message.ts";
import type { CallItem } from "./stream_items.ts";

/** Chunks that are looked at for a pattern: streams in which all differ have none. */
const PATTERNS_MAX = 8;

/** What is known of a model's turn while its chunks come. */
export class ResponseTurn {
  /** How many items of the output are of turns before it. */
  readonly start: number;
  /** Its calls, in order of their first pieces. */
  readonly calls: CallItem[] = [];
  /** Which of them a piece belongs to. */
  readonly indexes = new ToolCallIndexes();
  /** Opaque members of its message. */
  readonly opaque = new OpaqueMembers();
  /** What its message says, while it is not known whether that counts. */
  held: HeldMessage | undefined;
  /** Text of its model that Responses has no place for: it is paid for all the same. */
  readonly untold = new CollectedText();
  /** Whether all of it has come. */
  ended = false;
  /** Why the model stopped. */
  finishReason: string | undefined;
  /** Usage as last reported. */
  usage: Usage | undefined;
  /** The same in the upstream's own shape. */
  reportedUsage: unknown;
  readonly #callIds = new Set<string>();
  #pattern: TextChunkPattern | undefined;
  #patternsLeft = PATTERNS_MAX;

  /** `isHeld`: its message counts only where no turn follows. */
  constructor({ start, isHeld }: { readonly start: number; readonly isHeld: boolean }) {
    this.start = start;
    this.held = isHeld ? new HeldMessage() : undefined;
  }

  /** The text that a chunk adds, where the chunk is like those before it. */
  writtenIn(text: string): string | undefined {
    return this.#pattern && patternText(text, this.#pattern);
  }

  /** Notes what a chunk tells of the turn as a whole; `text` is the chunk's. */
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

  /** Notes the text of a delta that Responses has no place for. */
  noteBeside(
    delta: Fields,
    { eventChars, kept }: { readonly eventChars: number; readonly kept: KeptChars },
  ): void {
    collectText(besideText(delta), {
      push: (piece) => {
        kept.take(piece.length);
        this.untold.push(piece, eventChars);
      },
    });
  }

  /** It is cut here; usage that came early is no longer true. */
  limitReached(): void {
    this.finishReason = "length";
    if (!this.ended) this.reportedUsage = undefined;
  }

  /** Two calls of one id could not be answered apart: the second is given another. */
  nameCall(call: CallItem, id: unknown): void {
    if (typeof id !== "string" || id === "" || this.#callIds.has(id)) return;
    this.#callIds.add(id);
    call.callId = id;
  }
}
