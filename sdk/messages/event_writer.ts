import { isReply } from "../run/tasks.ts";
import type { ChatTurn } from "../chat/shapes.ts";
import type {
  ChatCompletionChunk,
  ContentBlock,
  ContentBlockDelta,
  MessageStreamEvent,
} from "../protocol/mod.ts";
import { messageOf, type Spoken, spokenBlock, spokenIn } from "./from_chat.ts";
import type { MessageCreateRequest, MessageTurn } from "./shapes.ts";
import { argumentsOf } from "./tool_calls.ts";
import { NO_MESSAGES_USAGE } from "./usage.ts";

/** The last events of an answer, and the message of all events. */
export interface EndOfMessage {
  readonly events: readonly MessageStreamEvent[];
  readonly message: MessageTurn;
}

/**
 * Writes the chunks of one streamed chat answer as the events of a message.
 *
 * Thinking and text are sent as they arrive. Tool calls are sent when they are complete: pieces of
 * several may come mixed, some providers sign a call in its last piece, and a block's signatures
 * belong in its first event.
 */
export class MessageEventWriter {
  readonly #request: MessageCreateRequest;
  /** Blocks so far; the last one is open. */
  readonly #spoken: Spoken[] = [];
  /** Id and model of the first event, which the message repeats. */
  #head: { readonly id: string; readonly model: string } | undefined;

  /** Creates a writer for the answer to this request. */
  constructor(request: MessageCreateRequest) {
    this.#request = request;
  }

  /** Returns the events of the next chunk: none for tasks that prepare the reply. */
  add(chunk: ChatCompletionChunk): MessageStreamEvent[] {
    const choice = chunk.choices.find(({ index = 0 }) => index === 0);
    if (choice === undefined || !isReply(chunk)) return [];
    const pieces = spokenIn(choice.delta ?? {});
    return [...this.#begin(chunk), ...pieces.flatMap((piece) => this.#say(piece))];
  }

  /** Returns the last events of a complete answer. */
  end(turn: ChatTurn): EndOfMessage {
    const begin = this.#begin(turn);
    const spoken = this.#spoken;
    const message = { ...messageOf(turn, { request: this.#request, spoken }), ...this.#head };
    const { content, container, metadata, stop_details, stop_reason, stop_sequence } = message;
    const last = content[spoken.length - 1];
    const signature = last?.type === "thinking" ? last.signature : "";
    const calls = content.slice(spoken.length);
    const events: MessageStreamEvent[] = [
      ...begin,
      ...(signature === "" ? [] : [this.#delta({ type: "signature_delta", signature })]),
      ...this.#close(),
      ...calls.flatMap((block, at) => wholeBlock(block, spoken.length + at)),
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence, stop_details, container },
        usage: { ...message.usage },
        ...(metadata === undefined ? {} : { metadata }),
      },
      { type: "message_stop" },
    ];
    return { events, message };
  }

  #begin({ id, model }: { readonly id: string; readonly model: string }): MessageStreamEvent[] {
    if (this.#head !== undefined) return [];
    this.#head = { id, model };
    return [{
      type: "message_start",
      message: {
        ...this.#head,
        ...{ type: "message", role: "assistant", content: [] },
        ...{ stop_reason: null, stop_sequence: null, stop_details: null },
        // A copy: callers that assemble a message write into it.
        ...{ container: null, diagnostics: null, usage: { ...NO_MESSAGES_USAGE } },
      },
    }];
  }

  /** Continues the open block when the piece is of its kind; else opens another one. */
  #say({ type, text }: Spoken): MessageStreamEvent[] {
    const delta: ContentBlockDelta = type === "text"
      ? { type: "text_delta", text }
      : { type: "thinking_delta", thinking: text };
    const last = this.#spoken.at(-1);
    if (last?.type === type) {
      this.#spoken.splice(-1, 1, { type, text: last.text + text });
      return [this.#delta(delta)];
    }
    const closed = this.#close();
    const index = this.#spoken.push({ type, text }) - 1;
    const content_block = spokenBlock({ type, text: "" });
    return [...closed, { type: "content_block_start", index, content_block }, this.#delta(delta)];
  }

  #delta(delta: ContentBlockDelta): MessageStreamEvent {
    return { type: "content_block_delta", index: this.#spoken.length - 1, delta };
  }

  #close(): MessageStreamEvent[] {
    const index = this.#spoken.length - 1;
    return index < 0 ? [] : [{ type: "content_block_stop", index }];
  }
}

/** Returns the events of a block that is complete when it begins. */
function wholeBlock(block: ContentBlock, index: number): MessageStreamEvent[] {
  const isCall = block.type === "tool_use";
  const hasInput = isCall && Object.keys(Object(block.input)).length > 0;
  const delta: ContentBlockDelta[] = hasInput
    ? [{ type: "input_json_delta", partial_json: argumentsOf(block) }]
    : [];
  return [
    {
      type: "content_block_start",
      index,
      content_block: { ...block, ...(isCall ? { input: {} } : {}) },
    },
    ...delta.map((one) => ({ type: "content_block_delta" as const, index, delta: one })),
    { type: "content_block_stop", index },
  ];
}
