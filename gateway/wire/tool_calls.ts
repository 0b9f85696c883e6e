/**
 * Tool calls of Chat Completions: which call a piece belongs to, and what must keep its bytes.
 *
 * @module
 */

import type { ToolCallDelta } from "@svc/sdk/protocol";
import type { SignedToolCall } from "./answer_relay.ts";
import { editMembers, elements, members } from "./json_text.ts";

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

/** Adds the opaque members of an object to those that earlier pieces brought. */
export function noteOpaque(known: Map<string, string>, text: string): void {
  for (const [name, member] of Object.entries(opaqueTexts(text) ?? {})) {
    if (member !== "null") known.set(name, mergedOpaque(known.get(name), member));
  }
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

/** Says which tool call a delta belongs to: by id, else by index, else the last one. */
export class ToolCallIndexes {
  readonly #known = new Map<string, number>();
  /** Calls whose id has come. */
  readonly #identified = new Set<number>();
  #count = 0;
  #last: number | undefined;

  /** The call's place among the calls, from 0, in order of their first deltas. */
  of(delta: Partial<ToolCallDelta>): number {
    const id = typeof delta.id === "string" && delta.id !== "" ? `id ${delta.id}` : undefined;
    const given = typeof delta.index === "number" ? `index ${delta.index}` : undefined;
    const index = this.#find(id, given) ?? this.#count++;
    if (given !== undefined) this.#known.set(given, index);
    if (id !== undefined) {
      this.#known.set(id, index);
      this.#identified.add(index);
    }
    return this.#last = index;
  }

  #find(id: string | undefined, given: string | undefined): number | undefined {
    const byId = id === undefined ? undefined : this.#known.get(id);
    if (byId !== undefined) return byId;
    if (given === undefined) return id === undefined ? this.#last : undefined;
    const byIndex = this.#known.get(given);
    // A new id under a known index is another call: some upstreams send every call as index 0.
    const isOther = id !== undefined && byIndex !== undefined && this.#identified.has(byIndex);
    return isOther ? undefined : byIndex;
  }
}

/** Two readings of an opaque member: the later one is merged into the earlier, never appended. */
function mergedOpaque(earlier: string | undefined, later: string): string {
  if (earlier === undefined || earlier === later) return later;
  return JSON.stringify(merged(JSON.parse(earlier), JSON.parse(later)));
}

function merged(earlier: unknown, later: unknown): unknown {
  if (!isRecord(earlier) || !isRecord(later)) return later;
  const result = new Map(Object.entries(earlier));
  for (const [key, value] of Object.entries(later)) result.set(key, merged(result.get(key), value));
  return Object.fromEntries(result);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
