import type { WithoutModel, WithRequestId } from "../call.ts";
import type { LoopShapes } from "../loop/mod.ts";
import type {
  Message,
  MessagesRequest,
  MessageStreamEvent,
  ToolUseBlock,
} from "../protocol/mod.ts";

/** A Messages request of an application: `model` is optional and then `auto`. */
export type MessageCreateRequest = WithoutModel<MessagesRequest>;

/** One answer, with the id of its request. */
export type MessageTurn = WithRequestId<Message>;

/** Messages in the terms of the loop. */
export interface MessagesShapes extends LoopShapes {
  /** The request, which grows by each turn. */
  conversation: MessageCreateRequest;
  /** A message. */
  turn: MessageTurn;
  /** A tool call of the message. */
  call: ToolUseBlock;
  /** An event of a stream. */
  chunk: MessageStreamEvent;
}
