/**
 * Responses on the wire: what is asked, and the resource that answers.
 *
 * Shapes follow the Open Responses standard and OpenAI's public reference; type tests hold them
 * against the types of the `openai` package.
 *
 * @module
 */

import type { Orchestration } from "./chat.ts";
import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";
import type { ResponseInputItem, ResponseOutputItem } from "./responses_items.ts";

/** A function that the caller runs: flat, unlike its form in Chat Completions. */
export interface ResponseFunctionTool extends Extensible {
  /** Tells it from hosted tools, also from one of the same name. */
  type: "function";
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  name: string;
  /** What the model reads to decide whether to call it. */
  description?: string | null;
  /** JSON Schema of the input; `null` or absent: it takes none. */
  parameters?: Record<string, unknown> | null;
  /** True: the model's input must follow the schema exactly. */
  strict?: boolean | null;
}

/** A tool that the service runs. */
export interface ResponseHostedTool extends Extensible {
  /** `web_search_preview`, or `file_search` with its `vector_store_ids`. */
  type: string;
}

/** A tool declaration. */
export type ResponseTool = ResponseFunctionTool | ResponseHostedTool;

/** The one tool that the model must call, or the tools it may choose from. */
export interface ResponseNamedToolChoice extends Extensible {
  /** `function`, `allowed_tools`, or the type of a hosted tool. */
  type: string;
  /** The function, where `type` is `function`. */
  name?: string;
}

/** Which tool the model must or may call. */
export type ResponseToolChoice = "none" | "auto" | "required" | ResponseNamedToolChoice;

/** The form that the answer must have. */
export interface ResponseTextFormat extends Extensible {
  /** `text`, `json_object`, or `json_schema` with `name` and `schema`. */
  type: string;
}

/** How the answer's text is to be. */
export interface ResponseTextConfig extends Extensible {
  /** Plain text where absent. */
  format?: ResponseTextFormat;
  /** `low`, `medium` or `high`. */
  verbosity?: "low" | "medium" | "high" | null;
}

/** How much a model is to reason, and how much of it to show. */
export interface ResponseReasoningConfig extends Extensible {
  /** `minimal`, `low`, `medium`, `high` and what providers add. */
  effort?: string | null;
  /** Set: reasoning is shown as a summary, else as it came. */
  summary?: string | null;
}

/** Body of `POST /openai/v1/responses`. */
export interface ResponsesRequest extends Extensible {
  /** Always `auto`. */
  model: string;
  /** The question, or the conversation so far, oldest first. */
  input?: string | ResponseInputItem[];
  /** Said to the model before everything else. */
  instructions?: string | null;
  /** The tools that the model may call. */
  tools?: ResponseTool[] | null;
  /** Limits or forces tool calls; the model decides where absent. */
  tool_choice?: ResponseToolChoice | null;
  /** False: at most one tool call a turn. */
  parallel_tool_calls?: boolean | null;
  /** Most calls of hosted tools. */
  max_tool_calls?: number | null;
  /** Form and length of the answer's text. */
  text?: ResponseTextConfig | null;
  /** Reasoning of models that reason. */
  reasoning?: ResponseReasoningConfig | null;
  /** Longest output in tokens, reasoning included. */
  max_output_tokens?: number | null;
  /** `auto`: the oldest items go where the input is too long. */
  truncation?: "auto" | "disabled" | null;
  /** The caller's own pairs; `request_id`, `routing` and `billing` are the service's. */
  metadata?: Record<string, string> | null;
  /** Whether the response can be read and continued later. @default {true} */
  store?: boolean | null;
  /** The response that this one continues. */
  previous_response_id?: string | null;
  /** What else the response is to carry. */
  include?: string[] | null;
  /** True: the answer comes as server-sent events. */
  stream?: boolean | null;
  /** Randomness of the answer, from 0. */
  temperature?: number | null;
  /** Share of the likeliest tokens that are drawn from, 0 to 1. */
  top_p?: number | null;
  /** The caller's own name of its user. */
  user?: string | null;
}

/** Where a response stands. */
export type ResponseStatus =
  | "in_progress"
  | "completed"
  | "incomplete"
  | "failed"
  | "cancelled"
  | "queued";

/** Why a response is incomplete. */
export interface ResponseIncompleteDetails extends Extensible {
  /** The output limit, or the provider's filter. */
  reason: "max_output_tokens" | "content_filter";
}

/** Why a response failed. */
export interface ResponseError extends Extensible {
  /** Of OpenAI's list. */
  code: "server_error" | "rate_limit_exceeded";
  /** One sentence for a person. */
  message: string;
}

/** Token counts as Responses reports them. */
export interface ResponseUsage extends Extensible {
  /** Input, cached tokens included. */
  input_tokens: number;
  /** What the input's tokens were. */
  input_tokens_details: {
    /** Read from the provider's cache. */
    cached_tokens: number;
    /** Written to the provider's cache. */
    cache_write_tokens: number;
  };
  /** Output, reasoning included. */
  output_tokens: number;
  /** What the output's tokens were. */
  output_tokens_details: {
    /** Spent on reasoning. */
    reasoning_tokens: number;
  };
  /** Sum of the two. */
  total_tokens: number;
}

/** The caller's own pairs, and beside them what the service says of the call. */
export type ResponseMetadata = Partial<ServiceMetadata>;

/** What a response repeats of its request. */
export interface ResponseEcho extends Extensible {
  /** The response that this one continues. */
  previous_response_id: string | null;
  /** As the request had them. */
  instructions: string | null;
  /** As the request had them, defaults filled in. */
  tools: ResponseTool[];
  /** `auto` where the request left it open. */
  tool_choice: ResponseToolChoice;
  /** `disabled` where the request left it open. */
  truncation: "auto" | "disabled";
  /** True where the request left it open. */
  parallel_tool_calls: boolean;
  /** Plain text where the request left it open. */
  text: ResponseTextConfig & { format: ResponseTextFormat };
  /** 1 where the request left it open. */
  top_p: number;
  /** 0 where the request left it open. */
  presence_penalty: number;
  /** 0 where the request left it open. */
  frequency_penalty: number;
  /** 0 where the request left it open. */
  top_logprobs: number;
  /** 1 where the request left it open. */
  temperature: number;
  /** `null` where the request left it open. */
  reasoning: ResponseReasoningConfig | null;
  /** `null` where the request left it open. */
  user: string | null;
  /** `null` where the request left it open. */
  max_output_tokens: number | null;
  /** `null` where the request left it open. */
  max_tool_calls: number | null;
  /** Whether it can be read later. */
  store: boolean;
  /** Whether it was made in the background: never here. */
  background: boolean;
  /** `default` where the request left it open. */
  service_tier: string;
  /** `null` where the request left it open. */
  safety_identifier: string | null;
  /** `null` where the request left it open. */
  prompt_cache_key: string | null;
  /** Programs of OpenAI's own; always `null` here. */
  access_programs: null;
}

/** A response: every field is present, `null` where nothing is known. */
export interface ResponseResource extends ResponseEcho {
  /** For instance `resp_…`; the same in every event of a stream. */
  id: string;
  /** Tells it from other objects. */
  object: "response";
  /** Unix time in seconds. */
  created_at: number;
  /** Unix time in seconds; `null` unless completed. */
  completed_at: number | null;
  /** Where it stands. */
  status: ResponseStatus;
  /** Set where the status is `incomplete`. */
  incomplete_details: ResponseIncompleteDetails | null;
  /** Set where the status is `failed`. */
  error: ResponseError | null;
  /** Catalog id of the model that answered. */
  model: string;
  /** What the model made, in order. */
  output: ResponseOutputItem[];
  /** `null` until the end. */
  usage: ResponseUsage | null;
  /** The caller's pairs and the service's. */
  metadata: ResponseMetadata;
  /** Present where the request was split into tasks; the output is that of the final one alone. */
  orchestration?: Orchestration;
}
