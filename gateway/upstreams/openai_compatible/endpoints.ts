import type { Endpoint } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { readEmbeddingUsage } from "../../wire/embeddings/answer.ts";
import { isEmbeddingsAnswer } from "../../wire/embeddings/vectors.ts";
import { readChatUsage } from "../../wire/chat/usage.ts";
import type { RefusedImage } from "../../images/edit_images.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import { isImageAnswer, readImageUsage } from "../../wire/images/answer.ts";
import { embeddingRequestText } from "./embedding_request.ts";
import { editRequestForm, generationRequestText } from "./image_request.ts";
import { readResponseUsage } from "../../wire/responses/usage.ts";
import { chatRequestText, type ChatWire } from "./request.ts";
import { responsesRequestText } from "./responses_request.ts";

/** Request and answer of one endpoint. */
export interface EndpointWire {
  /** Path after the base URL. */
  readonly path: string;
  /** Returns the body of a request, or the reason why the caller's images cannot be part of it. */
  requestBody(call: UpstreamCall, context: WireContext): RequestBody | Promise<RequestBody>;
  /** True when a parsed answer has the endpoint's shape. */
  isAnswer(value: Readonly<Record<string, unknown>>): boolean;
  /** Returns the reported usage; `undefined` where it is missing or inconsistent. */
  usageOf(value: Readonly<Record<string, unknown>>): Usage | undefined;
}

/** Inputs of a request beside the call. */
export interface WireContext extends ChatWire {
  /** Fetches images by address. Absent: none are fetched. */
  readonly fetchImage: FetchImage | undefined;
}

/** JSON text, a form, or a refusal. */
export type RequestBody = string | FormData | RefusedImage;

/** The endpoints. */
export const WIRES: Readonly<Record<Endpoint, EndpointWire>> = {
  chat: {
    path: "/chat/completions",
    requestBody: chatRequestText,
    isAnswer: (value) => Array.isArray(value["choices"]),
    usageOf: (value) => readChatUsage(value["usage"]),
  },
  responses: {
    path: "/responses",
    requestBody: responsesRequestText,
    isAnswer: (value) => Array.isArray(value["output"]),
    usageOf: (value) => readResponseUsage(value["usage"]),
  },
  "images.generations": {
    path: "/images/generations",
    requestBody: generationRequestText,
    isAnswer: isImageAnswer,
    usageOf: readImageUsage,
  },
  "images.edits": {
    path: "/images/edits",
    requestBody: editRequestForm,
    isAnswer: isImageAnswer,
    usageOf: readImageUsage,
  },
  embeddings: {
    path: "/embeddings",
    requestBody: embeddingRequestText,
    isAnswer: isEmbeddingsAnswer,
    usageOf: readEmbeddingUsage,
  },
};
