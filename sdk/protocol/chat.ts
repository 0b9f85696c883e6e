/**
 * Chat Completions on the wire.
 *
 * Shapes follow OpenAI's public API reference; type tests hold them against the types of the
 * `openai` package. Each object has an index signature: fields nobody here knows pass through.
 *
 * @module
 */

import type { ServiceMetadata } from "./metadata.ts";

/** Text in a message. */
export interface TextPart {
  type: "text";
  text: string;
  [field: string]: unknown;
}

/** An image in a user message: an http(s) URL or a base64 data URI. */
export interface ImagePart {
  type: "image_url";
  image_url: { url: string; detail?: "auto" | "low" | "high"; [field: string]: unknown };
  [field: string]: unknown;
}

/** A part of a kind not modelled here (audio, file, refusal): it passes through. */
export interface OtherPart {
  type: string;
  [field: string]: unknown;
}

/** Part of a message's content. */
export type ContentPart = TextPart | ImagePart | OtherPart;

/**
 * A tool call that a model made. Echo it back whole on the continuation turn: `extra_content` and
 * `thought_signature` are opaque to everybody but the provider that wrote them.
 */
export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string; [field: string]: unknown };
  /** Opaque provider extensions, preserved byte for byte. */
  extra_content?: { [field: string]: unknown };
  /** Opaque signature of some providers, preserved byte for byte. */
  thought_signature?: string;
  [field: string]: unknown;
}

/** One message of a conversation. */
export interface ChatMessage {
  role: string;
  content?: string | ContentPart[] | null;
  name?: string;
  /** On assistant messages: the calls the model made. */
  tool_calls?: ToolCall[];
  /** On tool messages: the call this is the result of. */
  tool_call_id?: string;
  [field: string]: unknown;
}

/** A function the caller runs. */
export interface FunctionTool {
  type: "function";
  function: {
    name: string;
    description?: string;
    /** JSON Schema. */
    parameters?: { [field: string]: unknown };
    strict?: boolean | null;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** A tool that the service runs: `web_search_preview` or `file_search`. */
export interface HostedTool {
  type: string;
  [field: string]: unknown;
}

/** A tool declaration. */
export type ChatTool = FunctionTool | HostedTool;

/** Which tool the model must or may call. */
export type ChatToolChoice =
  | "none"
  | "auto"
  | "required"
  | { type: string; function?: { name: string }; [field: string]: unknown };

/** Body of `POST /openai/v1/chat/completions`. */
export interface ChatRequest {
  /** Always `auto`. */
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[] | null;
  tool_choice?: ChatToolChoice | null;
  parallel_tool_calls?: boolean | null;
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean; [field: string]: unknown } | null;
  response_format?: { type: string; [field: string]: unknown } | null;
  /** Number of choices. @default {1} */
  n?: number | null;
  /** Longest output in tokens, reasoning included. */
  max_completion_tokens?: number | null;
  /** The older name of `max_completion_tokens`. */
  max_tokens?: number | null;
  stop?: string | string[] | null;
  temperature?: number | null;
  top_p?: number | null;
  [field: string]: unknown;
}

/** Why a choice ended. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

/** Token counts as OpenAI reports them. */
export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: {
    cached_tokens?: number;
    cache_write_tokens?: number;
    [field: string]: unknown;
  };
  completion_tokens_details?: { reasoning_tokens?: number; [field: string]: unknown };
  [field: string]: unknown;
}

/** The message of a choice. */
export interface AssistantMessage {
  role: "assistant";
  content: string | null;
  refusal: string | null;
  tool_calls?: ToolCall[];
  [field: string]: unknown;
}

/** One answer of a completion. */
export interface ChatChoice {
  index: number;
  message: AssistantMessage;
  finish_reason: FinishReason;
  logprobs: { [field: string]: unknown } | null;
  [field: string]: unknown;
}

/** One sub-task of an orchestrated request. */
export interface OrchestrationTask {
  task_id: string;
  title: string;
  depends_on: string[];
  status: "done" | "failed" | "skipped";
  model?: string;
  usage?: ChatUsage;
  /** Credits, decimal string. */
  charged?: string;
  [field: string]: unknown;
}

/** What an orchestrated request was split into. */
export interface Orchestration {
  tasks: OrchestrationTask[];
  final_task_id: string;
  [field: string]: unknown;
}

/** A complete answer. */
export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  /** Unix time in seconds. */
  created: number;
  /** Catalog id of the model that answered. */
  model: string;
  choices: ChatChoice[];
  usage?: ChatUsage;
  /** The route and the bill, where available. */
  metadata?: ServiceMetadata;
  orchestration?: Orchestration;
  [field: string]: unknown;
}

/** A piece of a tool call in a stream. `index` is always present and distinct per call. */
export interface ToolCallDelta {
  index: number;
  id?: string;
  type?: "function";
  function?: { name?: string; arguments?: string; [field: string]: unknown };
  extra_content?: { [field: string]: unknown };
  thought_signature?: string;
  [field: string]: unknown;
}

/** A piece of a message in a stream. */
export interface ChatDelta {
  role?: "assistant";
  content?: string | null;
  refusal?: string | null;
  tool_calls?: ToolCallDelta[];
  [field: string]: unknown;
}

/** A piece of a choice in a stream. */
export interface ChunkChoice {
  index: number;
  delta: ChatDelta;
  finish_reason: FinishReason | null;
  [field: string]: unknown;
}

/** One event of a streamed answer. `choices` is empty where it carries only usage and metadata. */
export interface ChatCompletionChunk {
  id: string;
  object: "chat.completion.chunk";
  /** Unix time in seconds. */
  created: number;
  model: string;
  choices: ChunkChoice[];
  usage?: ChatUsage | null;
  metadata?: ServiceMetadata;
  /** Set on chunks of sub-tasks; only the final task's text is the reply. */
  orchestration?: { task_id: string; title?: string; [field: string]: unknown };
  [field: string]: unknown;
}
