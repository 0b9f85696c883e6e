import type { Endpoint } from "@svc/sdk/protocol";
import type { UpstreamKind } from "../../domain/catalog.ts";
import type { Usage } from "../../domain/pricing.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { readChatUsage } from "../../wire/usage.ts";
import { chatRequestText } from "./request.ts";

/** How one endpoint is spoken. */
export interface EndpointWire {
  /** Follows the base URL. */
  readonly path: string;
  /** Body of the request. */
  requestText(call: UpstreamCall, kind: UpstreamKind): string;
  /** Whether a parsed answer is one. */
  isAnswer(value: Readonly<Record<string, unknown>>): boolean;
  /** Usage as reported; `undefined` where there is none or it makes no sense. */
  usageOf(value: Readonly<Record<string, unknown>>): Usage | undefined;
}

/** The endpoints that can be called. */
export const WIRES: Readonly<Partial<Record<Endpoint, EndpointWire>>> = {
  chat: {
    path: "/chat/completions",
    requestText: chatRequestText,
    isAnswer: (value) => Array.isArray(value["choices"]),
    usageOf: (value) => readChatUsage(value["usage"]),
  },
};
