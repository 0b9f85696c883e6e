/**
 * A complete chat answer on its way from an upstream to the caller: its own bytes, but for the
 * model's name and the metadata.
 *
 * @module
 */

import type { ChatCompletion, ServiceMetadata } from "@svc/sdk/protocol";
import type { JsonBody } from "../ports/upstream.ts";
import { OPAQUE_MEMBERS, type StreamedToolCall } from "./chat_chunk.ts";
import { collectText } from "./chat_text.ts";
import { editMembers, elements, members } from "./json_text.ts";

/** The answer's text for the caller. */
export function answerText(body: JsonBody, model: string, metadata: ServiceMetadata): string {
  return editMembers(body.text, {
    model: JSON.stringify(model),
    metadata: JSON.stringify(metadata),
  });
}

/** Everything a model wrote in an answer, in pieces. */
export function deliveredText(body: JsonBody): string[] {
  const pieces: string[] = [];
  for (const choice of (body.value as unknown as ChatCompletion).choices) {
    if (choice?.message) collectText(choice.message, pieces);
  }
  return pieces;
}

/** Tool calls that carry opaque members, with these members' own bytes. */
export function signedToolCalls(body: JsonBody): StreamedToolCall[] {
  if (!OPAQUE_MEMBERS.some((name) => body.text.includes(name))) return [];
  const calls: StreamedToolCall[] = [];
  for (const choice of elementsOf(body.text, "choices")) {
    const message = valueOf(choice, "message");
    if (message === undefined) continue;
    for (const text of elementsOf(message, "tool_calls")) {
      const call = JSON.parse(text);
      const opaque = new Map<string, string>();
      for (const member of members(text)) {
        if ((OPAQUE_MEMBERS as readonly string[]).includes(member.key)) {
          opaque.set(member.key, text.slice(member.valueStart, member.valueEnd));
        }
      }
      const { id, function: called } = call ?? {};
      if (typeof id !== "string" || typeof called?.arguments !== "string") continue;
      calls.push({ id, name: String(called.name), arguments: called.arguments, opaque });
    }
  }
  return calls;
}

function valueOf(object: string, key: string): string | undefined {
  const member = members(object).findLast((candidate) => candidate.key === key);
  return member === undefined ? undefined : object.slice(member.valueStart, member.valueEnd);
}

function elementsOf(object: string, key: string): string[] {
  const array = valueOf(object, key);
  if (array === undefined || !array.startsWith("[")) return [];
  return elements(array, 0).map(({ start, end }) => array.slice(start, end));
}
