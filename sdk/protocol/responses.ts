/**
 * Responses on the wire: the resource that answers.
 *
 * Shapes follow the Open Responses standard and OpenAI's public reference; type tests hold them
 * against the types of the `openai` package.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";
import type { Orchestration } from "./orchestration.ts";
import type { ResponseOutputItem } from "./responses_output.ts";
import type {
  ResponseReasoningConfig,
  ResponseTextConfig,
  ResponseTextFormat,
  ResponseTool,
  ResponseToolChoice,
} from "./responses_request.ts";

/** State of a response. */
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
  /** Kinds of input tokens. */
  input_tokens_details: {
    /** Read from the provider's cache. */
    cached_tokens: number;
    /** Written to the provider's cache. */
    cache_write_tokens: number;
  };
  /** Output, reasoning included. */
  output_tokens: number;
  /** Kinds of output tokens. */
  output_tokens_details: {
    /** Spent on reasoning. */
    reasoning_tokens: number;
  };
  /** Sum of the two. */
  total_tokens: number;
}

/** The caller's own pairs, and beside them what the service says of the call. */
export type ResponseMetadata = Partial<ServiceMetadata>;

/** Parameters that a response repeats from its request. */
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
  /** True when the response can be read later. */
  store: boolean;
  /** Always false: the service runs no response in the background. */
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
  /** Kind of the object. */
  object: "response";
  /** Unix time in seconds. */
  created_at: number;
  /** Unix time in seconds; `null` unless completed. */
  completed_at: number | null;
  /** State of the response. */
  status: ResponseStatus;
  /** Set where the status is `incomplete`. */
  incomplete_details: ResponseIncompleteDetails | null;
  /** Set where the status is `failed`. */
  error: ResponseError | null;
  /** Catalog id of the model that answered. */
  model: string;
  /** Output of the model, in order. */
  output: ResponseOutputItem[];
  /** `null` until the end. */
  usage: ResponseUsage | null;
  /** The caller's pairs and the service's. */
  metadata: ResponseMetadata;
  /** Present where the request was split into tasks; the output is that of the final one alone. */
  orchestration?: Orchestration;
}
