import type { WithoutModel, WithRequestId } from "../call.ts";
import type { LoopShapes } from "../loop/mod.ts";
import type {
  Message,
  MessagesRequest,
  MessageStreamEvent,
  ToolUseBlock,
} from "../protocol/mod.ts";

/** A Messages request as applications write it: `model` may be left out, and is then `auto`. */
export type MessageCreateRequest = WithoutModel<MessagesRequest>;

/** One answer, with the id of its request. */
export type MessageTurn = WithRequestId<Message>;

/** Messages, as the loop sees them. */
export interface MessagesShapes extends LoopShapes {
  /** The request, grown by each turn. */
  conversation: MessageCreateRequest;
  /** A message. */
  turn: MessageTurn;
  /** A tool call of it. */
  call: ToolUseBlock;
  /** An event of a stream. */
  chunk: MessageStreamEvent;
}
