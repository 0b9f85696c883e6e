/**
 * The events of a streamed chat completion.
 *
 * @module
 */

import type { FinishReason } from "./chat.ts";
import type { ChatUsage } from "./chat_usage.ts";
import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";
import type { ChunkOrchestration } from "./orchestration.ts";

/** A piece of the function that a tool call names. */
export interface ToolCallFunctionDelta extends Extensible {
  /** Whole, on the call's first piece. */
  name?: string;
  /** Next piece of the JSON text: pieces are joined in order. */
  arguments?: string;
}

/** A piece of a tool call in a stream. */
export interface ToolCallDelta extends Extensible {
  /** Position of its call in the message, from 0: always present, distinct per call. */
  index: number;
  /** On the call's first piece. */
  id?: string;
  /** On the call's first piece. */
  type?: "function";
  /** Name and arguments of the call, as far as they have arrived. */
  function?: ToolCallFunctionDelta;
  /** Opaque provider extensions; pieces are merged deeply. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature; a later one replaces an earlier one. */
  thought_signature?: string;
}

/** A piece of a message in a stream. */
export interface ChatDelta extends Extensible {
  /** On a choice's first piece. */
  role?: "assistant";
  /** Next piece of the answer's text. */
  content?: string | null;
  /** Next piece of a refusal. */
  refusal?: string | null;
  /** Pieces of tool calls, to be joined by `index`. */
  tool_calls?: ToolCallDelta[];
}

/** A piece of a choice in a stream. */
export interface ChunkChoice extends Extensible {
  /** Position of the choice that it belongs to, from 0. */
  index: number;
  /** The increment of the answer. */
  delta: ChatDelta;
  /** `null` until the choice's last piece. */
  finish_reason: FinishReason | null;
}

/** One event of a streamed answer. `choices` is empty where it carries only usage and metadata. */
export interface ChatCompletionChunk extends Extensible {
  /** The same on every chunk of an answer. */
  id: string;
  /** Kind of the object; a complete answer has another. */
  object: "chat.completion.chunk";
  /** Unix time in seconds. */
  created: number;
  /** Catalog id of the model that answers. */
  model: string;
  /** The increments; empty in chunks that carry only usage or metadata, so check the length. */
  choices: ChunkChoice[];
  /** On the last chunk; absent or `null` before. */
  usage?: ChatUsage | null;
  /** The route and the bill, on the last chunk. */
  metadata?: ServiceMetadata;
  /** Set on chunks of sub-tasks; only the final task's text is the reply. */
  orchestration?: ChunkOrchestration;
}
