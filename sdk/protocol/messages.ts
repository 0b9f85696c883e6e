/**
 * Requests and answers of the Anthropic-compatible surface.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type {
  CacheControl,
  ContentBlock,
  ContentBlockParam,
  TextBlockParam,
} from "./messages_content.ts";
import type { ServiceMetadata } from "./metadata.ts";
import type { Orchestration } from "./orchestration.ts";

/** One message of a conversation. */
export interface MessageParam extends Extensible {
  /** `system` stands for instructions in the middle of a conversation. */
  role: "user" | "assistant" | "system";
  /** Content of the message. */
  content: string | ContentBlockParam[];
}

/** A function that the application runs. */
export interface MessagesCustomTool extends Extensible {
  /** May be left out. */
  type?: "custom" | null;
  /** 1 to 128 of `[A-Za-z0-9_-]`. */
  name: string;
  /** Purpose of the tool; the model reads it to decide on a call. */
  description?: string;
  /** JSON Schema of the input. */
  input_schema: Record<string, unknown>;
  /** True: the model's input must follow the schema exactly. */
  strict?: boolean;
  /** Marks the end of the part that may be cached. */
  cache_control?: CacheControl | null;
}

/** A tool that the service runs: `web_search_20250305` or one of its successors. */
export interface MessagesServerTool extends Extensible {
  /** Its kind and version. */
  type: string;
  /** The name that its provider gives it. */
  name?: string;
}

/** A tool declaration. */
export type MessagesTool = MessagesCustomTool | MessagesServerTool;

/** The tool that the model must or may call. */
export interface MessagesToolChoice extends Extensible {
  /** `any`: it must call one; `tool`: it must call the one named. */
  type: "auto" | "any" | "tool" | "none";
  /** The tool, where `type` is `tool`. */
  name?: string;
  /** True: at most one tool call a turn. */
  disable_parallel_tool_use?: boolean;
}

/** Amount of reasoning before the answer. */
export interface ThinkingConfig extends Extensible {
  /** `adaptive`: the model decides. */
  type: string;
  /** Tokens for reasoning with `type: "enabled"`; Chat's nearest effort is sent instead. */
  budget_tokens?: number;
}

/** The form of the answer, and the effort made for it. */
export interface OutputConfig extends Extensible {
  /** Effort of the model. */
  effort?: "low" | "medium" | "high" | "xhigh" | "max" | null;
  /** The JSON Schema that the answer must follow. */
  format?: {
    /** The only kind. */
    type: "json_schema";
    /** JSON Schema. */
    schema: Record<string, unknown>;
  } | null;
}

/** Data about the caller. */
export interface MessagesCallerMetadata extends Extensible {
  /** The caller's own opaque id of its user. */
  user_id?: string | null;
}

/**
 * A request of the Anthropic-compatible surface; it is converted to a chat request.
 *
 * @example
 * ```ts
 * import { type MessagesRequest, MODEL_AUTO } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const request: MessagesRequest = {
 *   model: MODEL_AUTO,
 *   max_tokens: 1_024,
 *   system: "Answer in one sentence.",
 *   messages: [{ role: "user", content: "Why is the sky blue?" }],
 * };
 * assertEquals(request.messages.length, 1);
 * ```
 */
export interface MessagesRequest extends Extensible {
  /** Always `auto`. */
  model: string;
  /** The conversation so far, oldest first. */
  messages: MessageParam[];
  /** Longest output in tokens, thinking included; absent: as much as the model writes. */
  max_tokens?: number;
  /** Instructions that stand before the conversation. */
  system?: string | TextBlockParam[];
  /** The tools that the model may call. */
  tools?: MessagesTool[] | null;
  /** Limits or forces tool calls; the model decides where absent. */
  tool_choice?: MessagesToolChoice | null;
  /** Texts that end the answer where the model writes one; they are not part of the answer. */
  stop_sequences?: string[];
  /** Randomness of the answer, from 0; the model's own where absent. */
  temperature?: number;
  /** Share of the likeliest tokens that are drawn from, 0 to 1; the model's own where absent. */
  top_p?: number;
  /** Number of the likeliest tokens that are drawn from; the model's own where absent. */
  top_k?: number;
  /** Reasoning before the answer. */
  thinking?: ThinkingConfig;
  /** The form of the answer, and the effort made for it. */
  output_config?: OutputConfig;
  /** The older name of `output_config.format`. */
  output_format?: OutputConfig["format"];
  /** Data about the caller. */
  metadata?: MessagesCallerMetadata;
  /** `standard_only`: at no higher price than usual. */
  service_tier?: "auto" | "standard_only";
}

/** Reasons for the end of an answer. */
export type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal";

/** Details of a refusal of the model. */
export interface RefusalStopDetails extends Extensible {
  /** The only kind. */
  type: "refusal";
  /** The service does not tell kinds of refusals apart. */
  category: null;
  /** Explanation of the model or its provider, where one exists. */
  explanation: string | null;
}

/** Token counts as Anthropic reports them. */
export interface MessagesUsage extends Extensible {
  /** Input, without what was read from or written to the provider's cache. */
  input_tokens: number;
  /** Input read from the provider's cache. */
  cache_read_input_tokens: number;
  /** Input written to the provider's cache. */
  cache_creation_input_tokens: number;
  /** Always `null`: not reported by lifetime. */
  cache_creation: null;
  /** Output, thinking included. */
  output_tokens: number;
  /** Kinds of output tokens; `null` where the upstream does not report them. */
  output_tokens_details: {
    /** Spent on thinking. */
    thinking_tokens: number;
  } | null;
  /** Hosted tools that ran; `null` where there were none. */
  server_tool_use: {
    /** Searches. */
    web_search_requests: number;
    /** Always 0. */
    web_fetch_requests: number;
  } | null;
  /** Always `null`: not reported. */
  service_tier: null;
  /** Always `null`: not reported. */
  inference_geo: null;
  /** Always `null`: not reported. */
  speed: null;
}

/** A complete answer. */
export interface Message extends Extensible {
  /** Id of the answer; bills and logs go by `metadata.request_id`. */
  id: string;
  /** Kind of the object. */
  type: "message";
  /** Answers have no other. */
  role: "assistant";
  /** Catalog id of the model that answered. */
  model: string;
  /** Thinking first, then text, then tool calls. */
  content: ContentBlock[];
  /** Reason for its end; `null` in `message_start`. */
  stop_reason: StopReason | null;
  /** The stop sequence, where `stop_reason` is `stop_sequence`. */
  stop_sequence: string | null;
  /** More about a refusal. */
  stop_details: RefusalStopDetails | null;
  /** The service has no containers. */
  container: null;
  /** The service has no such diagnostics. */
  diagnostics: null;
  /** Token counts. */
  usage: MessagesUsage;
  /** The route and the bill, where available. */
  metadata?: ServiceMetadata;
  /** Present where the request was split into tasks. */
  orchestration?: Orchestration;
  /** Opaque provider extensions of the answer as a whole. */
  extra_content?: Record<string, unknown>;
}
