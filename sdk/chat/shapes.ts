import type { WithoutModel, WithRequestId } from "../call.ts";
import type { LoopShapes } from "../loop/mod.ts";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatRequest,
  ToolCall,
} from "../protocol/mod.ts";

/** A chat request as applications write it: `model` may be left out, and is then `auto`. */
export type ChatCreateRequest = WithoutModel<ChatRequest>;

/** One answer, with the id of its request. */
export type ChatTurn = WithRequestId<ChatCompletion>;

/** Chat Completions, as the loop sees them. */
export interface ChatShapes extends LoopShapes {
  /** The request, grown by each turn. */
  conversation: ChatCreateRequest;
  /** A completion. */
  turn: ChatTurn;
  /** A tool call of its first choice. */
  call: ToolCall;
  /** A chunk of a stream. */
  chunk: ChatCompletionChunk;
}
