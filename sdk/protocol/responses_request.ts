/**
 * Responses on the wire: what is asked.
 *
 * Shapes follow the Open Responses standard and OpenAI's public reference; type tests hold them
 * against the types of the `openai` package.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ResponseInputItem } from "./responses_input.ts";

/** A function that the caller runs: flat, unlike its form in Chat Completions. */
export interface ResponseFunctionTool extends Extensible {
  /** Kind of the tool; hosted tools have other types. */
  type: "function";
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  name: string;
  /** Purpose of the function; the model reads it to decide on a call. */
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

/** Form of the answer's text. */
export interface ResponseTextConfig extends Extensible {
  /** Plain text where absent. */
  format?: ResponseTextFormat;
  /** `low`, `medium` or `high`. */
  verbosity?: "low" | "medium" | "high" | null;
}

/** Amount of reasoning, and how much of it the answer shows. */
export interface ResponseReasoningConfig extends Extensible {
  /** `minimal`, `low`, `medium`, `high` and what providers add. */
  effort?: string | null;
  /** Set: reasoning is shown as a summary, else as it came. */
  summary?: string | null;
}

/**
 * Body of `POST /openai/v1/responses`.
 *
 * @example
 * ```ts
 * import { MODEL_AUTO, type ResponsesRequest } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ResponsesRequest = {
 *   model: MODEL_AUTO,
 *   instructions: "Answer in one sentence.",
 *   input: "Why is the sky blue?",
 *   max_output_tokens: 200,
 * };
 * assertEquals(request.input, "Why is the sky blue?");
 * ```
 */
export interface ResponsesRequest extends Extensible {
  /** Always `auto`. */
  model: string;
  /** The question, or the conversation so far, oldest first. */
  input?: string | ResponseInputItem[];
  /** Instructions before the rest of the input. */
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
  /**
   * True when the response is to be stored, so that it can be read and continued later. @default
   * {true}
   */
  store?: boolean | null;
  /** The response that this one continues. */
  previous_response_id?: string | null;
  /** Optional data that the response is to carry. */
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
