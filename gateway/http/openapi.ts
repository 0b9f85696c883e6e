/**
 * The description of the public listener, made from the schemas that validate it.
 *
 * Run it to print the document: `deno task openapi`.
 *
 * @module
 */

import { ORCHESTRATION_CHOICES } from "../domain/orchestration_mode.ts";
import manifest from "../deno.json" with { type: "json" };
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import { z } from "zod";
import {
  modelListSchema,
  modelMetaSchema,
  openAIModelListSchema,
  pricingSchema,
} from "./schemas/catalog.ts";
import { chatRequestSchema } from "./schemas/chat.ts";
import { chatChunkSchema, chatCompletionSchema } from "./schemas/chat_answer.ts";
import { imageEditSchema, imageGenerationSchema, imagesAnswerSchema } from "./schemas/images.ts";
import { errorEnvelopeSchema } from "./schemas/error.ts";
import { responsesRequestSchema } from "./schemas/responses.ts";
import { responseEventSchema } from "./schemas/responses_events.ts";
import { responseSchema } from "./schemas/responses_resource.ts";
import {
  inputItemListSchema,
  inputItemsQuerySchema,
  responseDeletedSchema,
} from "./schemas/stored_responses.ts";

const MODEL_CALL_STATUSES = [400, 401, 402, 403, 405, 409, 413, 415, 429, 500, 502, 503, 504];
const KEYED = [{ bearer: [] }, { apiKey: [] }];
const requestIdHeader = z.string().regex(/^[\x21-\x7e]{1,128}$/).optional()
  .meta({ description: "Correlates logs; never deduplicates", example: "my-request-1" });
const requestHeaders = z.object({ "X-Request-ID": requestIdHeader });
const splittableHeaders = requestHeaders.extend({
  "X-Orchestration": z.enum(ORCHESTRATION_CHOICES).optional().meta({
    description: "Whether the request may be split into tasks, and what its stream carries then",
  }),
});
const rangeHeader = z.string().optional()
  .meta({ description: "One range of bytes", example: "bytes=0-1023" });
const IMAGE = { "image/*": {} };
const locale = z.enum(["en", "zh"]).default("en").meta({ description: "Language of descriptions" });

function json(description: string, schema: z.ZodType) {
  return { description, content: { "application/json": { schema } } };
}

function errors(...statuses: readonly number[]) {
  return Object.fromEntries(
    statuses.map((status) => [`${status}`, json("See the error's code", errorEnvelopeSchema)]),
  );
}

function contentRange(example: string) {
  return z.object({ "Content-Range": z.string().meta({ example }) });
}

function get(summary: string, schema: z.ZodType, options: { isPublic?: boolean; plain?: boolean }) {
  return {
    get: {
      summary,
      ...(options.isPublic === true ? {} : { security: KEYED }),
      requestParams: {
        header: requestHeaders,
        ...(options.plain === true ? {} : { query: z.object({ locale: locale.optional() }) }),
      },
      responses: {
        "200": json("The answer", schema),
        ...(options.plain === true ? {} : { "304": { description: "Not modified" } }),
        ...(options.isPublic === true ? errors(400) : errors(400, 401, 403)),
      },
    },
  };
}

const status = z.strictObject({ status: z.string() });

function images(summary: string, schema: z.ZodType, types: readonly string[]) {
  return {
    post: {
      summary,
      security: KEYED,
      requestParams: { header: requestHeaders },
      requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema }])) },
      responses: {
        "200": json(
          "The images, with their route and their bill in `metadata`",
          imagesAnswerSchema,
        ),
        ...errors(...MODEL_CALL_STATUSES),
      },
    },
  };
}

function storedResponse(
  summary: string,
  schema: z.ZodType,
  query: z.ZodObject = z.object({}),
) {
  return {
    summary,
    security: KEYED,
    requestParams: { header: requestHeaders, path: z.object({ id: z.string() }), query },
    responses: { "200": json("The answer", schema), ...errors(400, 401, 403, 404, 405, 500, 503) },
  };
}

const paths: ZodOpenApiPathsObject = {
  "/openai/v1/chat/completions": {
    post: {
      summary: "Answer a conversation; a stream of server-sent events where `stream` is true",
      security: KEYED,
      requestParams: { header: splittableHeaders },
      requestBody: { content: { "application/json": { schema: chatRequestSchema } } },
      responses: {
        "200": {
          description: "The answer, with its route and its bill in `metadata`",
          content: {
            "application/json": { schema: chatCompletionSchema },
            "text/event-stream": { schema: chatChunkSchema },
          },
        },
        ...errors(...MODEL_CALL_STATUSES),
      },
    },
  },
  "/openai/v1/responses": {
    post: {
      summary: "Answer as a response; a stream of named events where `stream` is true",
      security: KEYED,
      requestParams: { header: splittableHeaders },
      requestBody: { content: { "application/json": { schema: responsesRequestSchema } } },
      responses: {
        "200": {
          description: "The response, with its route and its bill in `metadata`",
          content: {
            "application/json": { schema: responseSchema },
            "text/event-stream": { schema: responseEventSchema },
          },
        },
        ...errors(...MODEL_CALL_STATUSES),
      },
    },
  },
  "/openai/v1/responses/{id}": {
    get: storedResponse("A response that was kept", responseSchema),
    delete: storedResponse("Forget a response", responseDeletedSchema),
  },
  "/openai/v1/responses/{id}/input_items": {
    get: storedResponse("List a response's input", inputItemListSchema, inputItemsQuerySchema),
  },
  "/openai/v1/images/generations": images("Draw images", imageGenerationSchema, [
    "application/json",
  ]),
  "/openai/v1/images/edits": images("Edit images", imageEditSchema, [
    "application/json",
    "multipart/form-data",
  ]),
  "/files/{id}": {
    get: {
      summary: "An image that a signed link leads to",
      requestParams: {
        header: requestHeaders.extend({ Range: rangeHeader }),
        path: z.object({ id: z.string() }),
        query: z.object({ expires: z.string(), signature: z.string() }),
      },
      responses: {
        "200": { description: "The image", content: IMAGE },
        "206": {
          description: "The bytes of it that `Range` asks for",
          headers: contentRange("bytes 0-1023/4096"),
          content: IMAGE,
        },
        "416": {
          description: "The image ends before the bytes that `Range` asks for",
          headers: contentRange("bytes */4096"),
        },
        ...errors(400, 404, 405, 500, 503),
      },
    },
  },
  "/openai/v1/models": get("List the one model", openAIModelListSchema, { plain: true }),
  "/api/v1/models": get("List the public catalog", modelListSchema, { isPublic: true }),
  "/api/v1/models/meta": get("List what models can be filtered by", modelMetaSchema, {}),
  "/api/v1/pricing": get("List what tiers cost", pricingSchema, {}),
  "/healthz": get("Whether the process lives", status, { isPublic: true, plain: true }),
  "/readyz": {
    get: {
      summary: "Whether requests are taken",
      responses: { "200": json("They are", status), ...errors(503) },
    },
  },
};

/** The OpenAPI 3.1 document of the public listener. */
export function openApiDocument(): ReturnType<typeof createDocument> {
  return createDocument({
    openapi: "3.1.0",
    info: {
      title: "Model gateway",
      version: manifest.version,
      description: "Send `model: auto`: the service chooses the model, and says which and why.",
    },
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
      },
    },
    paths,
  });
}

if (import.meta.main) console.log(JSON.stringify(openApiDocument(), null, 2));
