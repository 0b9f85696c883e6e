/**
 * Tool calls of Chat Completions, and what of them must keep its bytes.
 *
 * @module
 */

import type { SignedToolCall } from "../answer_relay.ts";
import { editMembers, elements, members, memberText } from "../json/text.ts";

/** The opaque members of a tool call that must reach the caller, and come back, byte for byte. */
export const OPAQUE_MEMBERS = ["extra_content", "thought_signature"] as const;

/** JSON texts of opaque members, by name. */
export type OpaqueTexts = Readonly<Record<string, string>>;

/** The opaque members of an object in their own bytes; `undefined` where it has none. */
export function opaqueTexts(text: string): OpaqueTexts | undefined {
  if (!OPAQUE_MEMBERS.some((name) => text.includes(name))) return undefined;
  const found: Record<string, string> = {};
  for (const { key, valueStart, valueEnd } of members(text)) {
    if ((OPAQUE_MEMBERS as readonly string[]).includes(key)) {
      found[key] = text.slice(valueStart, valueEnd);
    }
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/**
 * What a piece of a streamed call adds to its name, which is `name` so far. Some upstreams say the name
 * again with every piece of the input, with the call's id or without: so two equal pieces are one.
 */
export function addedName(name: string, piece: unknown): string {
  return typeof piece === "string" && piece !== name ? piece : "";
}

/** A piece of a call that says nothing of its name. */
export function withoutName(piece: string): string {
  const called = memberText(piece, "function") ?? "{}";
  return editMembers(piece, { function: editMembers(called, { name: undefined }) });
}

/** A call as a message has it. */
export function toolCallText({ id, name, arguments: input, opaque }: SignedToolCall): string {
  const called = { id, type: "function", function: { name, arguments: input } };
  return editMembers(JSON.stringify(called), Object.fromEntries(opaque));
}

/**
 * A chat request's text with tool calls of its history edited: `edit` takes a call's text and its
 * place in its message, and returns what is to stand there; `undefined` leaves it.
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
