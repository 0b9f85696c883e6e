/**
 * The operations of the public listener.
 *
 * @module
 */

import { DIALECT_HEADER, DIALECTS, type ErrorCode } from "@svc/sdk/protocol";
import { z } from "zod";
import { ORCHESTRATION_CHOICES } from "../domain/orchestration/mode.ts";
import { TAG_HEADER, TAGS_MAX } from "../domain/requests/attribution.ts";
import {
  modelListSchema,
  modelMetaSchema,
  openAIModelListSchema,
  pricingSchema,
} from "../http/schemas/catalog.ts";
import { feedbackRequestSchema, feedbackSchema } from "../http/schemas/feedback.ts";
import { PUBLIC_PATHS } from "../http/public_paths.ts";
import { chatRequestSchema } from "../http/schemas/chat.ts";
import { describedEmbeddingRequest } from "../http/schemas/embeddings.ts";
import { imageEditSchema, imageGenerationSchema } from "../http/schemas/images.ts";
import { responsesRequestSchema } from "../http/schemas/responses.ts";
import {
  inputItemListSchema,
  inputItemsQuerySchema,
  responseDeletedSchema,
} from "../http/schemas/stored_responses.ts";
import * as examples from "./examples.ts";
import { type Content, EVENTS_TYPE, JSON_TYPE, type Operation, type Reply } from "./operation.ts";
import {
  chatEvent,
  chatReply,
  describedEvent,
  describedResponse,
  embeddingsReply,
  imageEditForm,
  imagesReply,
} from "./schemas.ts";
import { FILE_OPERATIONS } from "./file_operations.ts";
import { OWN_RECORD_OPERATIONS } from "./key_holder_operations.ts";
import { conditionalHeaders, selfOperations } from "./self_operations.ts";

const MODEL_CALL_CODES: readonly ErrorCode[] = [
  "model_not_allowed",
  "insufficient_balance",
  "key_budget_exceeded",
  "wallet_closed",
  "conflict",
  "upstream_error",
  "no_model_available",
  "upstream_timeout",
];
const TEXT_CODES: readonly ErrorCode[] = [
  "unsupported_tool",
  "conflicting_tools",
  "context_length_exceeded",
];

const dialectHeader = z.object({
  [DIALECT_HEADER]: z.enum(DIALECTS).optional().describe(
    "How the answer is written: as described (service), or for clients built on " +
      "OpenAI's types (openai), which are known by their headers; else as the key's policy says",
  ),
});
const callHeaders = dialectHeader.extend({
  [TAG_HEADER]: z.string().optional().meta({ example: "team=search" }).describe(
    `A tag of the call for the log and the usage, as name=value. Up to ${TAGS_MAX}, each in a ` +
      "header of its own or in one with commas between them; each name once",
  ),
  "X-Auto": z.string().optional().meta({ example: "quality=0.8, verify" }).describe(
    "Choice of the model, where the key's policy allows it: `quality=` a position of the dial " +
      "from 0 to 1, economy, balanced or best; `verify` compares the answers of cheap models " +
      "where answers compare, which images never do. Each at most once",
  ),
});
const textHeaders = callHeaders.extend({
  "X-Orchestration": z.enum(ORCHESTRATION_CHOICES).optional().describe(
    "Allows splitting the request into tasks, and selects the content of its stream",
  ),
});
const localized = z.object({
  locale: z.enum(["en", "zh"]).default("en").describe("Language of descriptions"),
});

function json(description: string, content: Content, more: Partial<Reply> = {}): Reply {
  return { description, content: { [JSON_TYPE]: content }, ...more };
}

function modelCall(
  operation: Pick<
    Operation,
    "path" | "id" | "tag" | "summary" | "description" | "headers" | "body"
  >,
  options: { reply: Reply; codes?: readonly ErrorCode[] },
): Operation {
  return {
    method: "post",
    access: "key",
    limited: true,
    ...operation,
    replies: { 200: options.reply },
    codes: [...MODEL_CALL_CODES, ...options.codes ?? []],
  };
}

const MODEL_CALLS: readonly Operation[] = [
  modelCall({
    path: PUBLIC_PATHS.chat,
    id: "createChatCompletion",
    tag: "Chat",
    summary: "Answer a conversation",
    description: "A stream of server-sent events where `stream` is true: each `data: ` is one " +
      "event, the last is `[DONE]`. Before it comes an event with empty `choices` that carries " +
      "`usage` and `metadata`; in the dialect openai the last finish carries them. A failure after the first byte is an event with `error`.\n\n" +
      "Fields that are not named here pass through to the model.",
    headers: textHeaders,
    body: { [JSON_TYPE]: { schema: chatRequestSchema, example: examples.CHAT_REQUEST } },
  }, {
    codes: TEXT_CODES,
    reply: {
      description: "The answer, with its route and its bill in `metadata`. A split request of " +
        "which nothing came answers 200 with an `error` of the code `orchestration_failed`",
      content: {
        [JSON_TYPE]: { schema: chatReply, example: examples.CHAT_ANSWER },
        [EVENTS_TYPE]: { schema: chatEvent, example: examples.CHAT_EVENT },
      },
    },
  }),
  modelCall({
    path: PUBLIC_PATHS.responses,
    id: "createResponse",
    tag: "Responses",
    summary: "Answer as a response",
    description: "A stream of named server-sent events where `stream` is true; `[DONE]` is the " +
      "last but in the dialect openai. Stored for " +
      "`previous_response_id` unless `store` is false.\n\n" +
      "Fields that are not named here pass through to the model.",
    headers: textHeaders,
    body: { [JSON_TYPE]: { schema: responsesRequestSchema, example: examples.RESPONSES_REQUEST } },
  }, {
    codes: TEXT_CODES,
    reply: {
      description: "The response, with its route and its bill in `metadata`",
      content: {
        [JSON_TYPE]: { schema: describedResponse },
        [EVENTS_TYPE]: { schema: describedEvent, example: examples.RESPONSE_EVENT },
      },
    },
  }),
  modelCall({
    path: PUBLIC_PATHS["images.generations"],
    id: "generateImages",
    tag: "Images",
    summary: "Draw images",
    headers: callHeaders,
    body: { [JSON_TYPE]: { schema: imageGenerationSchema, example: examples.IMAGE_REQUEST } },
  }, {
    reply: json("The images, with their route and their bill in `metadata`", {
      schema: imagesReply,
      example: examples.IMAGE_ANSWER,
    }),
  }),
  modelCall({
    path: PUBLIC_PATHS["images.edits"],
    id: "editImages",
    tag: "Images",
    summary: "Change images",
    headers: callHeaders,
    body: {
      [JSON_TYPE]: { schema: imageEditSchema, example: examples.EDIT_REQUEST },
      "multipart/form-data": { schema: imageEditForm },
    },
  }, {
    reply: json("The images, with their route and their bill in `metadata`", {
      schema: imagesReply,
      example: examples.IMAGE_ANSWER,
    }),
  }),
  modelCall({
    path: PUBLIC_PATHS.embeddings,
    id: "createEmbeddings",
    tag: "Embeddings",
    summary: "Embed texts",
    description:
      "An extension. The model and the length of the vectors are pinned for the key at " +
      "its first call, or by its policy; no other model ever takes their place.",
    headers: callHeaders,
    body: {
      [JSON_TYPE]: { schema: describedEmbeddingRequest, example: examples.EMBEDDING_REQUEST },
    },
  }, {
    codes: ["context_length_exceeded", "embedding_model_gone"],
    reply: json("The vectors, with their route and their bill in `metadata`", {
      schema: embeddingsReply,
      example: examples.EMBEDDING_ANSWER,
    }),
  }),
];

function storedResponse(
  { description, ...operation }: Pick<Operation, "path" | "id" | "summary"> & Partial<Operation>,
  schema: z.ZodType,
): Operation {
  return {
    method: "get",
    tag: "Responses",
    access: "key",
    replies: { 200: json("The answer", { schema }, { headers: ["Cache-Control"] }) },
    codes: ["not_found"],
    ...operation,
    description: ["An extension.", description].filter(Boolean).join(" "),
  };
}

const STORED: readonly Operation[] = [
  storedResponse({
    path: PUBLIC_PATHS.response,
    id: "getResponse",
    summary: "Show a stored response",
    headers: dialectHeader,
    description: "Available to all keys of the wallet that paid for it.",
    query: z.object({
      stream: z.literal("false").optional().describe("A stored response is not streamed again"),
    }),
  }, describedResponse),
  storedResponse({
    method: "delete",
    path: PUBLIC_PATHS.response,
    id: "deleteResponse",
    summary: "Delete a stored response",
  }, responseDeletedSchema),
  storedResponse({
    path: PUBLIC_PATHS.inputItems,
    id: "listInputItems",
    summary: "List the input items of a response",
    query: inputItemsQuerySchema,
  }, inputItemListSchema),
];

function catalog(
  operation: Pick<Operation, "path" | "id" | "summary" | "access">,
  content: Content,
): Operation {
  const headers = ["ETag", "Cache-Control", "Content-Language"] as const;
  return {
    method: "get",
    tag: "Catalog",
    query: localized,
    headers: conditionalHeaders,
    ...operation,
    replies: {
      200: json("The answer", content, { headers }),
      304: { description: "Not modified", headers },
    },
  };
}

const CATALOG: readonly Operation[] = [
  {
    method: "get",
    path: PUBLIC_PATHS.openAIModels,
    id: "listOpenAIModels",
    tag: "Catalog",
    access: "key",
    summary: "List the one model, auto",
    description: "An extension, for tools that list before they call.",
    replies: { 200: json("The answer", { schema: openAIModelListSchema }) },
  },
  {
    method: "get",
    path: PUBLIC_PATHS.openAIModel,
    id: "getOpenAIModel",
    tag: "Catalog",
    access: "key",
    summary: "The one model, auto",
    description: "An extension, for tools that look before they call.",
    replies: { 200: json("The answer", { schema: openAIModelListSchema.shape.data.element }) },
    codes: ["not_found"],
  },
  catalog(
    { path: PUBLIC_PATHS.models, id: "listModels", summary: "List the models", access: "anyone" },
    { schema: modelListSchema, example: examples.MODEL_LIST },
  ),
  catalog({
    path: PUBLIC_PATHS.modelMeta,
    id: "getModelMeta",
    summary: "List what models can be filtered by",
    access: "key",
  }, { schema: modelMetaSchema }),
  catalog(
    {
      path: PUBLIC_PATHS.pricing,
      id: "getPricing",
      summary: "List what tiers cost",
      access: "key",
    },
    { schema: pricingSchema, example: examples.PRICING },
  ),
];

const FEEDBACK: Operation = {
  method: "post",
  path: PUBLIC_PATHS.feedback,
  id: "createFeedback",
  tag: "Feedback",
  access: "key",
  summary: "Vote on an answer",
  description:
    "An extension. `auto` learns from votes which model answers a kind of request well. " +
    "A vote is taken for 7 days, on requests of the key's own wallet; a repetition answers the " +
    "same, and another score from the same source is a `conflict`. Where several requests have " +
    "the id, `log_ids` of the `error` names their rows: vote with the id of one.",
  body: { [JSON_TYPE]: { schema: feedbackRequestSchema, example: examples.FEEDBACK_REQUEST } },
  replies: {
    200: json("The vote is stored", { schema: feedbackSchema, example: examples.FEEDBACK }, {
      headers: ["Cache-Control"],
    }),
  },
  codes: ["not_found", "conflict"],
};

const image: Reply["content"] = { "image/*": {} };
const fileHeaders: Reply["headers"] = ["Accept-Ranges", "Cache-Control"];

const FILE: Operation = {
  method: "get",
  path: PUBLIC_PATHS.file,
  id: "getFile",
  tag: "Images",
  access: "anyone",
  summary: "Send the image of a signed link",
  description: "The link itself is the permission, and expires.",
  headers: z.object({
    Range: z.string().optional().meta({
      description: "One range of bytes",
      example: "bytes=0-1023",
    }),
    "If-Range": z.string().optional().describe("Gets the whole image: it has no tag"),
  }),
  query: z.object({ expires: z.string(), signature: z.string() }),
  replies: {
    200: { description: "The image", content: image, headers: fileHeaders },
    206: {
      description: "The bytes of it that `Range` asks for",
      content: image,
      headers: [...fileHeaders, "Content-Range"],
    },
    416: {
      description: "The image ends before the bytes that `Range` asks for",
      headers: [...fileHeaders, "Content-Range"],
    },
  },
  codes: ["not_found", "store_unavailable"],
};

const HEALTH: readonly Operation[] = [
  {
    method: "get",
    path: PUBLIC_PATHS.health,
    id: "getHealth",
    tag: "Service",
    access: "anyone",
    summary: "Check that the process runs",
    replies: {
      200: json("The process runs", {
        schema: z.strictObject({ status: z.literal("ok") }),
        example: { status: "ok" },
      }),
    },
  },
  {
    method: "get",
    path: PUBLIC_PATHS.readiness,
    id: "getReadiness",
    tag: "Service",
    access: "anyone",
    summary: "Check that requests are served",
    replies: {
      200: json("Requests are served", {
        schema: z.strictObject({ status: z.literal("ready") }),
        example: { status: "ready" },
      }),
    },
    codes: ["no_model_available", "store_unavailable"],
  },
];

/** Every operation of the public listener. */
export const PUBLIC_OPERATIONS: readonly Operation[] = [
  ...MODEL_CALLS,
  ...STORED,
  ...CATALOG,
  FEEDBACK,
  ...OWN_RECORD_OPERATIONS,
  ...FILE_OPERATIONS,
  FILE,
  ...HEALTH,
  ...selfOperations("Service"),
];
