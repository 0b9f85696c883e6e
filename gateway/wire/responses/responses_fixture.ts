/**
 * What tests of this room share: a request's context with ids that count, and events read back.
 *
 * @module
 */

import type { ResponsesRequest, ResponseStreamEvent, ServiceMetadata } from "@svc/sdk/protocol";
import { createParser } from "eventsource-parser";
import type { JsonBody } from "../../ports/upstream.ts";
import type { ResponseRelay } from "./relay.ts";
import type { ResponseContext, ResponseEnd } from "./resource.ts";

/** The metadata of a finished call. */
export const METADATA: ServiceMetadata = {
  request_id: "req_1",
  routing: {
    model: "fast-mini",
    provider: "lab",
    tier: "standard",
    reason: "it is the only one",
    considered: 1,
    attempts: [{ model: "fast-mini", provider: "lab", outcome: "ok", status: 200, ms: 1 }],
  },
};

/** The end of a call. */
export const END: ResponseEnd = {
  metadata: METADATA,
  usage: { inputTokens: 7, cachedInputTokens: 2, outputTokens: 5 },
  completedSeconds: 9,
};

/** A body from its value, or from its text. */
export function bodyOf(value: unknown): JsonBody {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { text, value: JSON.parse(text) };
}

/** A context whose ids count from 1, each kind with the others. */
export function contextOf(request: Partial<ResponsesRequest> = {}): ResponseContext {
  let count = 0;
  return {
    id: "resp_1",
    request: { model: "auto", input: "Hi", ...request },
    model: "fast-mini",
    createdSeconds: 5,
    opening: { request_id: "req_1" },
    newId: (prefix) => `${prefix}_${++count}`,
  };
}

/** A chat chunk's text with one choice. */
export function chunkText(delta: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  const { usage, ...choice } = more;
  return JSON.stringify({
    id: "c1",
    object: "chat.completion.chunk",
    created: 5,
    model: "up-1",
    choices: [{ index: 0, delta, finish_reason: null, ...choice }],
    ...(usage === undefined ? {} : { usage }),
  });
}

/** Everything that a relay sends for these texts, to its end. */
export function streamed(
  relay: ResponseRelay,
  texts: readonly string[],
  end: ResponseEnd = END,
): string {
  let sent = "";
  for (const text of texts) sent += relay.accept(text);
  relay.upstreamEnded();
  for (const event of relay.completed(end)) sent += event;
  return sent;
}

/** The events in a text, each named as its data says. */
export function eventsOf(sent: string): ResponseStreamEvent[] {
  const events: ResponseStreamEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const value: ResponseStreamEvent = JSON.parse(data);
      if (value.type !== event) throw new TypeError(`Event "${value.type}" is named "${event}"`);
      events.push(value);
    },
  });
  parser.feed(sent);
  return events;
}
