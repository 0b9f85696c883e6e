/**
 * The text in Chat Completions bodies, for counting tokens where an upstream reported none.
 *
 * @module
 */

import type { ChatMessage, ChatRequest } from "@svc/sdk/protocol";

/** Fields of a message or delta that a model wrote as text; the last two are common extensions. */
const TEXT_FIELDS = ["content", "refusal", "reasoning_content", "reasoning"] as const;

/** Where pieces of text are gathered. */
export interface TextSink {
  push(piece: string): unknown;
}

/** Adds every text of a message or a stream's delta to `pieces`. */
export function collectText(message: Readonly<Record<string, unknown>>, pieces: TextSink): void {
  for (const field of TEXT_FIELDS) {
    const value = message[field];
    if (typeof value === "string") {
      if (value !== "") pieces.push(value);
    } else if (Array.isArray(value)) {
      for (const part of value) {
        if (typeof part?.text === "string" && part.text !== "") pieces.push(part.text);
      }
    }
  }
  const calls = message.tool_calls;
  if (!Array.isArray(calls)) return;
  for (const call of calls) {
    if (typeof call?.function?.name === "string") pieces.push(call.function.name);
    if (typeof call?.function?.arguments === "string") pieces.push(call.function.arguments);
  }
}

/** Text of a message or delta; some servers send parts. */
export function contentOf(message: Readonly<Record<string, unknown>>): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => typeof part?.text === "string" ? part.text : "").join("");
}

/** Reasoning as chat upstreams write it: an extension that goes by two names. */
export function reasoningOf(message: Readonly<Record<string, unknown>>): string {
  const { reasoning_content, reasoning } = message;
  const text = reasoning_content ?? reasoning;
  return typeof text === "string" ? text : "";
}

/** All text of a request that its model reads. */
export function requestText(request: Readonly<Record<string, unknown>>): string {
  const { messages, tools } = request as Partial<ChatRequest>;
  const pieces: string[] = [];
  for (const message of messages ?? []) collectText(message satisfies ChatMessage, pieces);
  if (Array.isArray(tools) && tools.length > 0) pieces.push(JSON.stringify(tools));
  return pieces.join("\n");
}
