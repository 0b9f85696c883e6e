import type { Endpoint } from "@svc/sdk/protocol";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { readChatUsage } from "../../wire/chat/usage.ts";
import type { RefusedImage } from "../../images/edit_images.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import { isImageAnswer, readImageUsage } from "../../wire/images/answer.ts";
import { editRequestForm, generationRequestText } from "./image_request.ts";
import { readResponseUsage } from "../../wire/responses/usage.ts";
import { chatRequestText, type ChatWire } from "./request.ts";
import { responsesRequestText } from "./responses_request.ts";

/** How one endpoint is spoken. */
export interface EndpointWire {
  /** Follows the base URL. */
  readonly path: string;
  /** Body of the request; or why the caller's images cannot be put into it. */
  requestBody(call: UpstreamCall, context: WireContext): RequestBody | Promise<RequestBody>;
  /** Whether a parsed answer is one. */
  isAnswer(value: Readonly<Record<string, unknown>>): boolean;
  /** Usage as reported; `undefined` where there is none or it makes no sense. */
  usageOf(value: Readonly<Record<string, unknown>>): Usage | undefined;
}

/** What a request is made with besides the call. */
export interface WireContext extends ChatWire {
  /** Fetches what callers point to; absent: nothing is fetched. */
  readonly fetchImage: FetchImage | undefined;
}

/** JSON text or a form, or a refusal. */
export type RequestBody = string | FormData | RefusedImage;

/** The endpoints that can be called. */
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
};
