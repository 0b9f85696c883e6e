import { z } from "zod";
import { chatUsageSchema, chunkOrchestrationSchema, orchestrationSchema } from "./orchestration.ts";
import { fileSearchCallSchema, webSearchCallSchema } from "./search_calls.ts";

const attempt = z.strictObject({
  model: z.string(),
  provider: z.string(),
  outcome: z.string(),
  status: z.int().optional(),
  ms: z.number(),
});

const credits = z.string().regex(/^\d+\.\d{6}$/);

/** Metadata that the service adds to an answer. */
export const metadataSchema = z.looseObject({
  request_id: z.string(),
  routing: z.looseObject({
    model: z.string(),
    provider: z.string(),
    tier: z.string(),
    reason: z.string(),
    considered: z.int(),
    dial: z.number().min(0).max(1),
    plan: z.enum(["value", "conversation", "exploration", "verified"]),
    difficulty: z.number(),
    p: z.number(),
    p_error: z.number(),
    outcomes: z.int(),
    snapshot: z.int(),
    task: z.string(),
    attempts: z.array(attempt),
    output_limit: z.int().optional(),
    not_carried: z.array(z.string()).optional(),
    orchestration: z.string().optional(),
  }),
  billing: z.looseObject({
    currency: z.literal("credits"),
    charged: credits,
    input_tokens: z.int(),
    cached_input_tokens: z.int(),
    cache_write_input_tokens: z.int().optional(),
    output_tokens: z.int(),
    // The sum of two safe integers may not be one.
    total_tokens: z.number().meta({ override: { type: "integer" } }),
    estimated: z.boolean(),
    price_version: z.int(),
  }).optional(),
  hosted_tools: z.array(
    z.discriminatedUnion("type", [webSearchCallSchema, fileSearchCallSchema]),
  ).optional(),
}).meta({ id: "Metadata" });

const toolCall = z.discriminatedUnion("type", [
  z.looseObject({
    id: z.string(),
    type: z.literal("function"),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
    extra_content: z.looseObject({}).optional(),
    thought_signature: z.string().optional(),
  }),
  // OpenAI's own models call custom tools as well.
  z.looseObject({
    id: z.string(),
    type: z.literal("custom"),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
]);

const annotations = z.array(z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("url_citation"),
    url_citation: z.looseObject({
      start_index: z.int(),
      end_index: z.int(),
      url: z.string(),
      title: z.string(),
    }),
  }),
  z.looseObject({
    type: z.literal("file_citation"),
    file_citation: z.looseObject({ file_id: z.string(), filename: z.string(), index: z.int() }),
  }),
]));

/** A complete answer. */
export const chatCompletionSchema = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({
    index: z.int(),
    message: z.looseObject({
      role: z.literal("assistant"),
      content: z.string().nullable(),
      tool_calls: z.array(toolCall).optional(),
      annotations: annotations.optional(),
    }),
    finish_reason: z.string(),
  })),
  usage: chatUsageSchema.optional(),
  metadata: metadataSchema,
  orchestration: orchestrationSchema.optional(),
});

/** One event of a streamed answer. */
export const chatChunkSchema = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion.chunk"),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({
    index: z.int(),
    delta: z.looseObject({ annotations: annotations.optional() }),
    finish_reason: z.string().nullish(),
  })),
  usage: chatUsageSchema.nullish(),
  metadata: metadataSchema.optional(),
  orchestration: chunkOrchestrationSchema.optional(),
});
