/**
 * The text in Chat Completions bodies, for counting tokens where an upstream reported none.
 *
 * @module
 */

import type { ChatMessage, ChatRequest } from "@svc/sdk/protocol";

/** Fields of a message or delta that a model wrote as text; the last two are common extensions. */
const TEXT_FIELDS = ["content", "refusal", "reasoning_content", "reasoning"] as const;

/** Adds every text of a message or a stream's delta to `pieces`. */
export function collectText(message: Readonly<Record<string, unknown>>, pieces: string[]): void {
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

/** All text of a request that its model reads. */
export function requestText(request: Readonly<Record<string, unknown>>): string {
  const { messages, tools } = request as Partial<ChatRequest>;
  const pieces: string[] = [];
  for (const message of messages ?? []) collectText(message satisfies ChatMessage, pieces);
  if (Array.isArray(tools) && tools.length > 0) pieces.push(JSON.stringify(tools));
  return pieces.join("\n");
}
