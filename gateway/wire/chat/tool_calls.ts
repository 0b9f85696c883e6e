/**
 * Tool calls of Chat Completions, and their members whose bytes must be kept.
 *
 * @module
 */

import type { SignedToolCall } from "../answer_relay.ts";
import { editMembers, elements, members, memberText } from "../json/text.ts";

/** The opaque members of a tool call that must reach the caller, and come back, byte for byte. */
export const OPAQUE_MEMBERS = ["extra_content", "thought_signature"] as const;

/** JSON texts of opaque members, by name. */
export type OpaqueTexts = Readonly<Record<string, string>>;

/** Returns the opaque members of an object with their bytes; `undefined` where it has none. */
export function opaqueTexts(text: string): OpaqueTexts | undefined {
  if (!OPAQUE_MEMBERS.some((name) => text.includes(name))) return undefined;
  const texts: Record<string, string> = {};
  for (const { key, valueStart, valueEnd } of members(text)) {
    if ((OPAQUE_MEMBERS as readonly string[]).includes(key)) {
      texts[key] = text.slice(valueStart, valueEnd);
    }
  }
  return Object.keys(texts).length === 0 ? undefined : texts;
}

/**
 * Returns the text that a piece of a streamed call adds to its name so far, `name`. Some upstreams
 * repeat the name with every piece of the input, with the call's id or without: so two equal pieces
 * are one.
 */
export function addedName(name: string, piece: unknown): string {
  return typeof piece === "string" && piece !== name ? piece : "";
}

/** Returns a piece of a call without its name. */
export function withoutName(piece: string): string {
  const called = memberText(piece, "function") ?? "{}";
  return editMembers(piece, { function: editMembers(called, { name: undefined }) });
}

/** Returns a call in the form of a message. */
export function toolCallText({ id, name, arguments: input, opaque }: SignedToolCall): string {
  const called = { id, type: "function", function: { name, arguments: input } };
  return editMembers(JSON.stringify(called), Object.fromEntries(opaque));
}

/**
 * Returns a chat request's text with edited tool calls of its history: `edit` takes a call's text
 * and its position in its message, and returns the new text; `undefined` keeps the old one.
 */
export function editCalls(
  request: string,
  edit: (call: string, at: number) => string | undefined,
): string {
  const list = members(request).findLast(({ key }) => key === "messages");
  if (list === undefined) return request;
  let edited = "";
  let from = 0;
  for (const message of elements(request, list.valueStart)) {
    const calls = members(request, message.start).findLast(({ key }) => key === "tool_calls");
    if (calls === undefined || request[calls.valueStart] !== "[") continue;
    for (const [at, { start, end }] of elements(request, calls.valueStart).entries()) {
      const call = edit(request.slice(start, end), at);
      if (call === undefined) continue;
      edited += request.slice(from, start) + call;
      from = end;
    }
  }
  return edited + request.slice(from);
}
