/**
 * The schema that validates and describes chat requests.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { z } from "zod";
import { ofType, requiring } from "./requirements.ts";

/** Maximum number of messages of a request, and of parts of a message. */
export const MOST_MESSAGES = 10_000;
/** Maximum number of tools of a request, of tool calls of a message, and of stop sequences. */
const MOST_TOOLS = 1_024;

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"] as const;

const contentPart = requiring(
  z.looseObject({
    type: z.string(),
    text: z.string().optional(),
    image_url: z.looseObject({ url: z.string() }).optional(),
  }),
  [
    ofType(["text"], "text", { message: "expected the part's text" }),
    ofType(["image_url"], "image_url", { message: 'expected an object {"url": …}' }),
  ],
);

const toolCall = z.looseObject({
  id: z.string(),
  type: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
});

const message = requiring(
  z.looseObject({
    role: z.enum(ROLES),
    content: z.union([z.string(), z.array(contentPart).max(MOST_MESSAGES), z.null()]).optional(),
    name: z.string().nullish(),
    tool_calls: z.array(toolCall).max(MOST_TOOLS).nullish(),
    tool_call_id: z.string().optional(),
  }),
  [
    {
      when: { role: ["tool"] },
      fields: ["tool_call_id"],
      message: "expected the id of the tool call this is the result of",
    },
    {
      when: { role: ["user"] },
      fields: ["content"],
      message: "expected a string or an array of parts",
      least: "null",
    },
  ],
);

const tool = requiring(
  z.looseObject({
    type: z.string(),
    function: z.looseObject({
      name: z.string().min(1),
      description: z.string().optional(),
      parameters: z.looseObject({}).nullish(),
    }).optional(),
  }),
  [ofType(["function"], "function", { message: "expected the declaration of the function" })],
);

const responseFormat = requiring(
  z.looseObject({
    type: z.string(),
    json_schema: z.looseObject({ name: z.string(), schema: z.looseObject({}).optional() })
      .optional(),
  }),
  [ofType(["json_schema"], "json_schema", { message: "expected the schema" })],
);

const WHOLE_TOKENS = "send a whole number of tokens, 1 or more";
const outputLimit = z.int(WHOLE_TOKENS).min(1, WHOLE_TOKENS).nullish();

/** Body of `POST /openai/v1/chat/completions`. Fields not named here pass through unchanged. */
export const chatRequestSchema = z.looseObject({
  model: z.literal("auto").describe("Always auto: the service chooses the model"),
  messages: z.array(message, "send an array of messages")
    .min(1, "expected at least one message").max(
      MOST_MESSAGES,
      `send at most ${MOST_MESSAGES} messages`,
    ),
  tools: z.array(tool).max(MOST_TOOLS).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  response_format: responseFormat.nullish(),
  n: z.int().min(1).max(128).nullish(),
  best_of: z.int().min(1).max(128).nullish(),
  max_completion_tokens: outputLimit,
  max_tokens: outputLimit,
  stop: z.union([z.string(), z.array(z.string()).max(MOST_TOOLS)]).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
}).meta({ id: "ChatRequest", description: "A chat completion request" });

/** A body that the schema accepts, with the model that it does not check. */
export type ValidChatRequest = z.infer<typeof chatRequestSchema> & Pick<ChatRequest, "model">;
