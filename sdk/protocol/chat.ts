/**
 * Chat Completions on the wire.
 *
 * Shapes follow OpenAI's public API reference; type tests hold them against the types of the
 * `openai` package. Each object is {@linkcode Extensible}: fields nobody here knows pass through.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";

/** Text in a message. */
export interface TextPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "text";
  /** The words themselves. */
  text: string;
}

/** Where an image is and how closely to look at it. */
export interface ImageUrl extends Extensible {
  /** An http(s) URL or a base64 data URI. */
  url: string;
  /** Resolution that the model sees, and is billed for; its provider's choice where absent. */
  detail?: "auto" | "low" | "high";
}

/** An image in a user message. */
export interface ImagePart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "image_url";
  /** The image. */
  image_url: ImageUrl;
}

/** A part of a kind not modelled here (audio, file, refusal): it passes through. */
export interface OtherPart extends Extensible {
  /** Its kind, as its provider names it. */
  type: string;
}

/** Part of a message's content. */
export type ContentPart = TextPart | ImagePart | OtherPart;

/** The function that a tool call names, with its input. */
export interface ToolCallFunction extends Extensible {
  /** Name of a declared tool; models do invent others. */
  name: string;
  /** The input as JSON text; a model may write text that does not parse. */
  arguments: string;
}

/**
 * A tool call that a model made. Echo it back whole on the continuation turn: `extra_content` and
 * `thought_signature` are opaque to everybody but the provider that wrote them.
 */
export interface ToolCall extends Extensible {
  /** What the tool message with the result quotes as `tool_call_id`. */
  id: string;
  /** The only kind of call: hosted tools run before the answer leaves. */
  type: "function";
  /** What to run, and with what. */
  function: ToolCallFunction;
  /** Opaque provider extensions, preserved byte for byte. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature of some providers, preserved byte for byte. */
  thought_signature?: string;
}

/** One message of a conversation. */
export interface ChatMessage extends Extensible {
  /** `system`, `developer`, `user`, `assistant` or `tool`. */
  role: string;
  /** What was said; `null` or absent on assistant messages that only call tools. */
  content?: string | ContentPart[] | null;
  /** Tells apart speakers of the same role. */
  name?: string;
  /** On assistant messages: the calls the model made. */
  tool_calls?: ToolCall[];
  /** On tool messages: the call this is the result of. */
  tool_call_id?: string;
}

/** What a model is told about a function. */
export interface FunctionDefinition extends Extensible {
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  name: string;
  /** What the model reads to decide whether to call it. */
  description?: string;
  /** JSON Schema of the input; absent: it takes none. */
  parameters?: Record<string, unknown>;
  /** True: the model's input must follow the schema exactly. */
  strict?: boolean | null;
}

/** A function the caller runs. */
export interface FunctionTool extends Extensible {
  /** Tells it from hosted tools, also from one of the same name. */
  type: "function";
  /** Its declaration. */
  function: FunctionDefinition;
}

/** A tool that the service runs. */
export interface HostedTool extends Extensible {
  /** `web_search_preview`, or `file_search` with its `vector_store_ids`. */
  type: string;
}

/** A tool declaration. */
export type ChatTool = FunctionTool | HostedTool;

/** The one tool that the model must call. */
export interface NamedToolChoice extends Extensible {
  /** `function`, or the type of a hosted tool. */
  type: string;
  /** The function, where `type` is `function`. */
  function?: {
    /** Name of a declared function. */
    name: string;
  };
}

/** Which tool the model must or may call. */
export type ChatToolChoice = "none" | "auto" | "required" | NamedToolChoice;

/** What a stream carries besides the answer. */
export interface StreamOptions extends Extensible {
  /** Accepted and needless: the last chunk always carries the usage. */
  include_usage?: boolean;
}

/** The form that the answer must have. */
export interface ResponseFormat extends Extensible {
  /** `text`, `json_object`, or `json_schema` with its schema beside it. */
  type: string;
}

/** Body of `POST /openai/v1/chat/completions`. */
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

/** Why a choice ended. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

/** What the prompt's tokens were. */
export interface PromptTokensDetails extends Extensible {
  /** Read from the provider's cache, usually at a lower price. */
  cached_tokens?: number;
  /** Written to the provider's cache. */
  cache_write_tokens?: number;
}

/** What the completion's tokens were. */
export interface CompletionTokensDetails extends Extensible {
  /** Spent on reasoning that the answer does not show. */
  reasoning_tokens?: number;
}

/** Token counts as OpenAI reports them. */
export interface ChatUsage extends Extensible {
  /** Input, cached tokens included. */
  prompt_tokens: number;
  /** Output of all choices, reasoning included. */
  completion_tokens: number;
  /** Sum of the two. */
  total_tokens: number;
  /** Absent where the upstream does not say. */
  prompt_tokens_details?: PromptTokensDetails;
  /** Absent where the upstream does not say. */
  completion_tokens_details?: CompletionTokensDetails;
}

/** The message of a choice. */
export interface AssistantMessage extends Extensible {
  /** Answers have no other. */
  role: "assistant";
  /** The answer; `null` where the model only called tools or refused. */
  content: string | null;
  /** The model's words when it refused; else `null`. */
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
  /** Why it ended: `length` means that it was cut. */
  finish_reason: FinishReason;
  /** Of the answer's tokens, as the provider wrote them; `null` unless the request asked. */
  logprobs: Record<string, unknown> | null;
}

/** One sub-task of an orchestrated request. */
export interface OrchestrationTask extends Extensible {
  /** Unique in the request: `plan`, {@linkcode ORCHESTRATION_FINAL_TASK_ID}, or the planner's own. */
  task_id: string;
  /** What it does, for people. */
  title: string;
  /** Ids of the tasks whose results it reads. */
  depends_on: string[];
  /** `skipped`: a task it depends on failed. */
  status: "done" | "failed" | "skipped";
  /** Catalog id of the model that served it; absent where none did. */
  model?: string;
  /** Its own tokens; absent where nothing was called. */
  usage?: ChatUsage;
  /** Credits, decimal string. */
  charged?: string;
}

/** What an orchestrated request was split into. */
export interface Orchestration extends Extensible {
  /** Every task, planner and synthesis included. */
  tasks: OrchestrationTask[];
  /** The task whose text is the reply. */
  final_task_id: string;
}

/** A complete answer. */
export interface ChatCompletion extends Extensible {
  /** Id of the answer, for instance `chatcmpl-…`; bills and logs go by `metadata.request_id`. */
  id: string;
  /** Tells it from a streamed chunk. */
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

/** A piece of the function that a tool call names. */
export interface ToolCallFunctionDelta extends Extensible {
  /** Whole, on the call's first piece. */
  name?: string;
  /** Next piece of the JSON text: pieces are joined in order. */
  arguments?: string;
}

/** A piece of a tool call in a stream. */
export interface ToolCallDelta extends Extensible {
  /** Which call of the message it belongs to: always present, distinct per call, from 0. */
  index: number;
  /** On the call's first piece. */
  id?: string;
  /** On the call's first piece. */
  type?: "function";
  /** What to run, and with what. */
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
  /** What is new. */
  delta: ChatDelta;
  /** `null` until the choice's last piece. */
  finish_reason: FinishReason | null;
}

/** Which task of an orchestrated request a chunk belongs to. */
export interface ChunkOrchestration extends Extensible {
  /** The reply is the text of {@linkcode ORCHESTRATION_FINAL_TASK_ID} alone. */
  task_id: string;
  /** What the task does, for people. */
  title?: string;
}

/** One event of a streamed answer. `choices` is empty where it carries only usage and metadata. */
export interface ChatCompletionChunk extends Extensible {
  /** The same on every chunk of an answer. */
  id: string;
  /** Tells it from a complete answer. */
  object: "chat.completion.chunk";
  /** Unix time in seconds. */
  created: number;
  /** Catalog id of the model that answers. */
  model: string;
  /** What is new; check the length before indexing. */
  choices: ChunkChoice[];
  /** On the last chunk; absent or `null` before. */
  usage?: ChatUsage | null;
  /** The route and the bill, on the last chunk. */
  metadata?: ServiceMetadata;
  /** Set on chunks of sub-tasks; only the final task's text is the reply. */
  orchestration?: ChunkOrchestration;
}
