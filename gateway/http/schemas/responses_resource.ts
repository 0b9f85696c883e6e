/**
 * Strict schema of the response resource: unknown or missing fields fail.
 *
 * @module
 */

import { z } from "zod";
import { metadataSchema } from "./chat_answer.ts";
import { orchestrationSchema } from "./orchestration.ts";
import { fileSearchCallSchema, webSearchCallSchema } from "./search_calls.ts";

const urlCitation = z.strictObject({
  type: z.literal("url_citation"),
  start_index: z.int(),
  end_index: z.int(),
  url: z.string(),
  title: z.string(),
});

const fileCitation = z.strictObject({
  type: z.literal("file_citation"),
  file_id: z.string(),
  filename: z.string(),
  index: z.int(),
});

/** A source that the text cites. */
export const annotationSchema = z.discriminatedUnion("type", [urlCitation, fileCitation]);

const token = z.object({ token: z.string(), bytes: z.array(z.int()), logprob: z.number() });

/** Tokens of a text with their probabilities. */
export const logprobsSchema = z.array(z.strictObject({
  ...token.shape,
  top_logprobs: z.array(z.strictObject(token.shape)),
}));

/** Text that a model wrote. */
export const outputTextSchema = z.strictObject({
  type: z.literal("output_text"),
  annotations: z.array(annotationSchema),
  logprobs: logprobsSchema,
  text: z.string(),
});

/** A refusal. */
export const refusalSchema = z.strictObject({ type: z.literal("refusal"), refusal: z.string() });

/** Reasoning as the model wrote it. */
export const reasoningTextSchema = z.strictObject({
  type: z.literal("reasoning_text"),
  text: z.string(),
});

/** A summary of reasoning. */
export const summaryTextSchema = z.strictObject({
  type: z.literal("summary_text"),
  text: z.string(),
});

const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);
const id = z.string().min(1);

const opaque = {
  extra_content: z.looseObject({}).optional(),
  thought_signature: z.string().optional(),
};

const message = z.strictObject({
  type: z.literal("message"),
  id,
  status: itemStatus,
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [outputTextSchema, refusalSchema])),
  ...opaque,
});

const functionCall = z.strictObject({
  type: z.literal("function_call"),
  id,
  call_id: id,
  name: z.string(),
  arguments: z.string(),
  status: itemStatus,
  ...opaque,
});

const reasoning = z.strictObject({
  type: z.literal("reasoning"),
  id,
  summary: z.array(summaryTextSchema),
  content: z.array(reasoningTextSchema),
  encrypted_content: z.string().nullable(),
  status: itemStatus,
});

/** An item of the output. */
export const outputItemSchema = z.discriminatedUnion("type", [
  message,
  functionCall,
  reasoning,
  webSearchCallSchema,
  fileSearchCallSchema,
]);

const functionTool = z.looseObject({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.looseObject({}).nullable(),
  strict: z.boolean().nullable(),
});

const hostedTool = z.looseObject({ type: z.string().refine((type) => type !== "function") });

const usage = z.strictObject({
  input_tokens: z.int(),
  input_tokens_details: z.strictObject({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.strictObject({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

const echo = {
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  tools: z.array(z.union([functionTool, hostedTool])),
  tool_choice: z.union([
    z.enum(["none", "auto", "required"]),
    z.looseObject({ type: z.string() }),
  ]),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.looseObject({ effort: z.string().nullable(), summary: z.string().nullable() })
    .nullable(),
  user: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  access_programs: z.null(),
};

/** The service's metadata, with no unknown member; the caller's pairs are beside it. */
const metadata = z.object({
  request_id: metadataSchema.shape.request_id,
  routing: metadataSchema.shape.routing.strict(),
  billing: metadataSchema.shape.billing.unwrap().strict(),
}).partial().catchall(z.string());

/** The whole resource. */
export const responseSchema = z.strictObject({
  id: z.string().startsWith("resp_"),
  object: z.literal("response"),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(["in_progress", "completed", "incomplete", "failed", "cancelled", "queued"]),
  incomplete_details: z.strictObject({ reason: z.enum(["max_output_tokens", "content_filter"]) })
    .nullable(),
  error: z.strictObject({
    code: z.enum(["server_error", "rate_limit_exceeded"]),
    message: z.string(),
  }).nullable(),
  model: z.string(),
  ...echo,
  usage: usage.nullable(),
  metadata,
  orchestration: orchestrationSchema.optional(),
  output: z.array(outputItemSchema),
});
