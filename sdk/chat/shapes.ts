import type { WithoutModel, WithRequestId } from "../call.ts";
import type { LoopShapes } from "../loop/mod.ts";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
  ToolCall,
} from "../protocol/mod.ts";

/** A chat request of an application: `model` is optional and then `auto`. */
export type ChatCreateRequest = WithoutModel<ChatRequest>;

/** One answer, with the id of its request. */
export type ChatTurn = WithRequestId<ChatCompletion>;

/** Chat Completions in the terms of the loop. */
export interface ChatShapes extends LoopShapes {
  /** The request, which grows by each turn. */
  conversation: ChatCreateRequest;
  /** A completion. */
  turn: ChatTurn;
  /** A tool call of its first choice. */
  call: ToolCall;
  /** A chunk of a stream. */
  chunk: ChatCompletionChunk;
}
