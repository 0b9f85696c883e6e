/**
 * Fixtures for tests of responses: a request's context with counted ids, and parsed events.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  ERROR_TABLE,
  type ErrorCode,
  type ErrorEnvelope,
  type ResponseResource,
  type ResponsesRequest,
  type ResponseStreamEvent,
  type ServiceMetadata,
} from "@svc/sdk/protocol";
import { createParser } from "eventsource-parser";
import { ResponseStream } from "openai/lib/responses/ResponseStream";
import { responseEventSchema } from "../../http/schemas/responses_events.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { AnswerEnd } from "../answer_relay.ts";
import type { ResponseRelay } from "./relay.ts";
import type { ResponseContext } from "./resource.ts";

/** The metadata of a finished call. */
export const METADATA: ServiceMetadata = {
  request_id: "req_1",
  routing: {
    model: "fast-mini",
    provider: "lab",
    tier: "standard",
    reason: "it is the only one",
    considered: 1,
    dial: 0.5,
    plan: "value",
    difficulty: 0.25,
    p: 0.8,
    p_error: 0.05,
    outcomes: 0,
    snapshot: 0,
    task: "0123456789abcdef",
    attempts: [{ model: "fast-mini", provider: "lab", outcome: "ok", status: 200, ms: 1 }],
  },
};

/** The end of a call. */
export const END: AnswerEnd = {
  metadata: METADATA,
  usage: { inputTokens: 7, cachedInputTokens: 2, outputTokens: 5 },
  completedSeconds: 9,
};

/** Returns a failure as callers receive it. */
export function failureOf(code: ErrorCode, message: string): ErrorEnvelope {
  const { type } = ERROR_TABLE[code];
  return { error: { message, type, code, param: null, request_id: "req_1" } };
}

/** Returns a body from its value, or from its text. */
export function bodyOf(value: unknown): JsonBody {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { text, value: JSON.parse(text) };
}

/** Returns a context whose ids count from 1 over all kinds. */
export function contextOf(request: Partial<ResponsesRequest> = {}): ResponseContext {
  let count = 0;
  return {
    id: "resp_1",
    request: { model: "auto", input: "Hi", ...request },
    model: "fast-mini",
    createdSeconds: 5,
    dialect: "service",
    opening: { request_id: "req_1" },
    newId: (prefix) => `${prefix}_${++count}`,
  };
}

/** Returns a chat chunk's text with one choice. */
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

/** Returns everything that a relay sends for these texts, to its end. */
export function streamed(
  relay: ResponseRelay,
  texts: readonly string[],
  end: AnswerEnd = END,
): string {
  let sent = "";
  for (const text of texts) sent += relay.accept(text);
  relay.upstreamEnded();
  for (const event of relay.completed(end)) sent += event;
  return sent;
}

/** Returns the events in a text; each must have the name in its data. */
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

/** Returns the response that OpenAI's client builds from the events. */
export async function collected(events: readonly ResponseStreamEvent[]): Promise<ResponseResource> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const bytes = new Blob(lines).stream();
  const response: unknown = await ResponseStream.fromReadableStream(bytes).finalResponse();
  const { output_text: _derived, ...resource } = JSON.parse(JSON.stringify(response));
  for (const item of resource.output) {
    for (const part of item.content ?? []) delete part.parsed;
    delete item.parsed_arguments;
  }
  delete resource.output_parsed;
  return resource;
}

/** Checks rules that hold for every stream; returns the last event's resource. */
export function checkEvents(events: readonly ResponseStreamEvent[]): ResponseResource {
  const open = new Map<string, string>();
  let nextItem = 0;
  for (const [at, event] of events.entries()) {
    assertEquals(responseEventSchema.safeParse(event).error?.issues, undefined, event.type);
    assertEquals(event.sequence_number, at);
    if (event.type === "response.output_item.added") {
      assertEquals(event.output_index, nextItem++);
      for (const type of open.values()) assert(type.endsWith("_call"), `${type} is still open`);
      open.set(event.item.id, event.item.type);
    } else if (event.type === "response.output_item.done") assert(open.delete(event.item.id));
    else if ("item_id" in event) assert(open.has(String(event.item_id)), event.type);
  }
  assertEquals(open.size, 0);
  const last = events.at(-1);
  assert(last?.type === "response.completed" || last?.type === "response.incomplete");
  return last.response;
}
