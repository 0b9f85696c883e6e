import { withModel } from "../call.ts";
import type { ChatShapes } from "../chat/shapes.ts";
import { ChatTurns } from "../chat/turns.ts";
import type { FinishEvent, ModelEvent, ModelPort, ModelRequest } from "../loop/mod.ts";
import type { ContentBlock, ContentBlockDelta, MessageStreamEvent } from "../protocol/mod.ts";
import type { TurnOptions } from "../run/surface.ts";
import { reportingTasks } from "../run/tasks.ts";
import type { Transport } from "../transport.ts";
import { MessageEventWriter } from "./event_writer.ts";
import { messageOf } from "./from_chat.ts";
import type { MessagesShapes } from "./shapes.ts";
import { chatRequestOf } from "./to_chat.ts";
import { argumentsOf } from "./tool_calls.ts";
import { namesBack } from "./tool_names.ts";

type Events = AsyncGenerator<ModelEvent<MessagesShapes>, void, void>;

/** Turns of Messages: turns of Chat Completions, converted in both directions. */
export class MessagesTurns implements ModelPort<MessagesShapes> {
  readonly #chat: ModelPort<ChatShapes>;
  readonly #stream: boolean;

  /** Creates the port without calling the service. */
  constructor(transport: Transport, options: TurnOptions) {
    // Progress of tasks is read from Chat's chunks: the events of Messages cannot express it.
    this.#chat = reportingTasks(new ChatTurns(transport, options), options.onTask);
    this.#stream = options.stream;
  }

  /** Runs one turn. */
  async *turn({ conversation, step, signal }: ModelRequest<MessagesShapes>): Events {
    const request = { conversation: chatRequestOf(withModel(conversation)), step, signal };
    const writer = this.#stream ? new MessageEventWriter(conversation) : undefined;
    const nameOf = namesBack(conversation.tools);
    for await (const event of this.#chat.turn(request)) {
      switch (event.type) {
        case "chunk":
          for (const chunk of writer?.add(event.chunk) ?? []) yield* eventsIn(chunk);
          break;
        case "tool_call_delta":
          yield event.name === undefined ? event : { ...event, name: nameOf(event.name) };
          break;
        case "text_delta":
        case "reasoning_delta":
        case "tool_call":
          // The message has its own events for these.
          break;
        case "finish": {
          const end = writer?.end(event.turn);
          const turn = end?.message ?? messageOf(event.turn, { request: conversation });
          if (end === undefined) { for (const block of turn.content) yield* spoken(block); }
          for (const chunk of end?.events ?? []) yield { type: "chunk", chunk };
          yield* ending({ ...event, turn });
          break;
        }
        default:
          yield event;
      }
    }
  }
}

/** Yields an event of the surface, and the loop's events in it. */
function* eventsIn(chunk: MessageStreamEvent): Iterable<ModelEvent<MessagesShapes>> {
  yield { type: "chunk", chunk };
  if (chunk.type === "content_block_delta") yield* spoken(chunk.delta);
}

/** Yields the loop's events of a block or of a piece of one. */
function* spoken(block: ContentBlock | ContentBlockDelta): Iterable<ModelEvent<MessagesShapes>> {
  switch (block.type) {
    case "text":
    case "text_delta":
      yield { type: "text_delta", text: block.text };
      break;
    case "thinking":
    case "thinking_delta":
      yield { type: "reasoning_delta", text: block.thinking };
  }
}

/** Yields the calls of a complete turn, and its end. */
function* ending(finish: FinishEvent<MessagesShapes>): Iterable<ModelEvent<MessagesShapes>> {
  for (const raw of finish.turn.content) {
    if (raw.type !== "tool_use") continue;
    const { id, name } = raw;
    yield { type: "tool_call", call: { id, name, arguments: argumentsOf(raw), raw } };
  }
  yield finish;
}
