/**
 * Schemas that describe answers, including what passes through from upstreams without a check.
 *
 * @module
 */

import { z } from "zod";
import {
  chatChunkSchema,
  chatCompletionSchema,
  metadataSchema,
} from "../http/schemas/chat_answer.ts";
import { errorEnvelopeSchema } from "../http/schemas/error.ts";
import { embeddingsAnswerSchema } from "../http/schemas/embeddings.ts";
import { imageEditFields, imagesAnswerSchema } from "../http/schemas/images.ts";
import { chatUsageSchema } from "../http/schemas/orchestration.ts";
import { responseEventsOf } from "../http/schemas/responses_events.ts";
import { outputItemSchema, responseSchema } from "../http/schemas/responses_resource.ts";

/** An answer that failed after its status was sent, or a split request without any result. */
const failedAnswer = errorEnvelopeSchema.extend({
  choices: z.array(z.unknown()).max(0).optional(),
}).meta({
  id: "FailedAnswer",
  description:
    "An error where an answer was to be; `choices` is there, and empty, for chat clients",
});

const jsonText = (of: string) => z.string().describe(`${of}, as JSON text`);

const stringMetadata = z.object({
  request_id: z.string(),
  routing: jsonText("The route"),
  billing: jsonText("The bill").optional(),
  hosted_tools: jsonText("The searches that the service ran").optional(),
}).catchall(z.string()).meta({
  id: "StringMetadata",
  description: "In the dialect openai, beside the caller's own pairs",
});

/** The service's metadata of a call, in the caller's dialect. */
const metadata = z.union([metadataSchema, stringMetadata]);

/** Billed usage is in `metadata.billing`; `usage` may be anything that an upstream reports. */
function asReported(usage: z.ZodType) {
  return z.union([usage, z.unknown()]).describe(
    "As the upstream reports it, who may say something else",
  );
}

/** Required is what the service guarantees; the rest keeps an upstream's own bytes. */
const PASSED_THROUGH = "What an upstream leaves out stays out; what it adds passes through";
const FROM_UPSTREAM = { id: true, object: true, created: true } as const;

const completionChoice = chatCompletionSchema.shape.choices.element;
const { message } = completionChoice.shape;
const completion = chatCompletionSchema.partial(FROM_UPSTREAM).extend({
  choices: z.array(
    completionChoice.partial().extend({
      message: message.partial().extend({
        content: z.union([z.string(), z.array(z.unknown())]).nullish(),
      }).optional(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: asReported(chatUsageSchema).optional(),
  metadata,
}).meta({ id: "ChatCompletion", description: PASSED_THROUGH });

const chunkChoice = chatChunkSchema.shape.choices.element;
const chunk = chatChunkSchema.partial(FROM_UPSTREAM).extend({
  choices: z.array(chunkChoice.partial()),
  usage: asReported(chatUsageSchema).optional(),
  metadata: metadata.optional(),
}).meta({ id: "ChatCompletionChunk", description: PASSED_THROUGH });

/** Answer of `POST /openai/v1/chat/completions` that is not streamed. */
export const chatReply = z.union([completion, failedAnswer]);

/** An event of a streamed chat, except the last line, `[DONE]`. */
export const chatEvent = z.union([chunk, failedAnswer]);

/** Answer of both image endpoints. */
export const imagesReply = imagesAnswerSchema.extend({ metadata }).meta({ id: "ImagesResponse" });

/** Answer of the endpoint of embeddings. */
export const embeddingsReply = embeddingsAnswerSchema.extend({ metadata })
  .meta({ id: "EmbeddingsResponse" });

/** Returns a schema of any type except the described ones. */
function otherType(known: readonly string[]) {
  return z.string().meta({ override: { type: "string", not: { enum: [...known] } } });
}

const otherItem = z.looseObject({
  type: otherType(outputItemSchema.options.map((option) => option.shape.type.value)),
}).meta({ id: "OtherItem", description: "An item that an upstream makes and that passes through" });

const item = z.union([outputItemSchema, otherItem]);

/** The response resource, written by the service or by an upstream. */
export const describedResponse = responseSchema.extend({
  id: z.string(),
  output: z.array(item),
  usage: asReported(responseSchema.shape.usage),
  metadata: z.union([responseSchema.shape.metadata, stringMetadata.partial()]),
})
  .meta({ id: "Response", description: "A response" });

const events = responseEventsOf({ response: describedResponse, item });

const otherEvent = z.looseObject({
  type: otherType(events.options.map((option) => option.shape.type.value)),
}).meta({ id: "OtherEvent", description: "An event of an upstream's that passes through" });

/** An event of a streamed response. */
export const describedEvent = z.union([events, otherEvent])
  .meta({ id: "ResponseEvent", description: "One event of a streamed response" });

const file = z.string().meta({
  override: { type: "string", contentMediaType: "application/octet-stream" },
});

/** An edit as a form, with files in place of data URIs. */
export const imageEditForm = imageEditFields.omit({ image: true, images: true, mask: true }).extend(
  {
    image: z.union([file, z.array(file)]).optional(),
    "image[]": z.array(file).optional().describe("Several images, as some clients send"),
    mask: file.optional(),
  },
).meta({ id: "ImageEditForm", description: "The same fields as JSON has, with images as files" });
