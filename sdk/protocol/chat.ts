/**
 * Chat Completions on the wire.
 *
 * Shapes follow OpenAI's public API reference; type tests hold them against the types of the
 * `openai` package. Each object is {@linkcode Extensible}: unknown fields pass through.
 *
 * @module
 */

import type { ChatMessage, ToolCall } from "./chat_messages.ts";
import type { ChatTool, ChatToolChoice } from "./chat_tools.ts";
import type { ChatUsage } from "./chat_usage.ts";
import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";
import type { Orchestration } from "./orchestration.ts";

/** Options of a stream. */
export interface StreamOptions extends Extensible {
  /** Accepted without effect: the last chunk always carries the usage. */
  include_usage?: boolean;
}

/** The form that the answer must have. */
export interface ResponseFormat extends Extensible {
  /** `text`, `json_object`, or `json_schema` with its schema beside it. */
  type: string;
}

/**
 * Body of `POST /openai/v1/chat/completions`.
 *
 * @example
 * ```ts
 * import { type ChatRequest, MODEL_AUTO } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ChatRequest = {
 *   model: MODEL_AUTO,
 *   messages: [{ role: "user", content: "Hello" }],
 *   max_completion_tokens: 200,
 *   // Not modelled here: it reaches the provider as it is.
 *   seed: 7,
 * };
 * assertEquals(JSON.parse(JSON.stringify(request)).seed, 7);
 * ```
 */
export interface ChatRequest extends Extensible {
  /** Always `auto`. */
  model: string;
  /** The conversation so far, oldest first. */
  messages: ChatMessage[];
  /** The tools that the model may call. */
  tools?: ChatTool[] | null;
  /** Limits or forces tool calls; the model decides where absent. */
  tool_choice?: ChatToolChoice | null;
  /** False: at most one tool call a turn. */
  parallel_tool_calls?: boolean | null;
  /** True: the answer comes as server-sent events. */
  stream?: boolean | null;
  /** Read only with `stream`. */
  stream_options?: StreamOptions | null;
  /** Plain text where absent. */
  response_format?: ResponseFormat | null;
  /** Number of choices. @default {1} */
  n?: number | null;
  /** Choices that some servers write to return the best `n` of them. */
  best_of?: number | null;
  /** Longest output in tokens, reasoning included. */
  max_completion_tokens?: number | null;
  /** The older name of `max_completion_tokens`. */
  max_tokens?: number | null;
  /** Text that ends the answer where the model writes it; it is not part of the answer. */
  stop?: string | string[] | null;
  /** Randomness of the answer, from 0; the model's own where absent. */
  temperature?: number | null;
  /** Share of the likeliest tokens that are drawn from, 0 to 1; the model's own where absent. */
  top_p?: number | null;
}

/** Reasons for the end of a choice. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

/** The message of a choice. */
export interface AssistantMessage extends Extensible {
  /** Answers have no other. */
  role: "assistant";
  /** The answer; `null` where the model only called tools or refused. */
  content: string | null;
  /** Text of a refusal; else `null`. */
  refusal: string | null;
  /** The calls that the caller is to run, each answered by one tool message. */
  tool_calls?: ToolCall[];
}

/** One answer of a completion. */
export interface ChatChoice extends Extensible {
  /** Position among the choices, from 0. */
  index: number;
  /** The answer. */
  message: AssistantMessage;
  /** Reason for its end; `length` means that it was cut. */
  finish_reason: FinishReason;
  /** Of the answer's tokens, as the provider wrote them; `null` unless the request asked. */
  logprobs: Record<string, unknown> | null;
}

/** A complete answer. */
export interface ChatCompletion extends Extensible {
  /** Id of the answer, for instance `chatcmpl-…`; bills and logs go by `metadata.request_id`. */
  id: string;
  /** Kind of the object; a chunk has another. */
  object: "chat.completion";
  /** Unix time in seconds. */
  created: number;
  /** Catalog id of the model that answered. */
  model: string;
  /** One unless the request asked for more with `n`. */
  choices: ChatChoice[];
  /** Absent where the upstream reported none; then see `metadata.billing`. */
  usage?: ChatUsage;
  /** The route and the bill, where available. */
  metadata?: ServiceMetadata;
  /** Present where the request was split into tasks. */
  orchestration?: Orchestration;
}
