/**
 * Items of Responses with their own bytes: what a model signed must come back as it was.
 *
 * @module
 */

import type { JsonBody } from "../../ports/upstream.ts";
import { OPAQUE_MEMBERS } from "../chat_chunk.ts";
import { elements, members } from "../json_text.ts";

/** JSON texts of opaque members, by name. */
export type OpaqueTexts = Readonly<Record<string, string>>;

/** The items of a request's `input`; a string is the user's message. */
export function requestItems(request: JsonBody): readonly JsonBody[] {
  const input = request.value["input"];
  if (typeof input === "string") return [itemOf({ type: "message", role: "user", content: input })];
  return listOf(request, "input");
}

/** The items of a response's `output`: what a later request's `previous_response_id` stands for. */
export function outputItems(response: JsonBody): readonly JsonBody[] {
  return listOf(response, "output");
}

/** Ids that a request refers to instead of repeating the items. */
export function referencedIds(items: readonly JsonBody[]): readonly string[] {
  return items.filter((item) => itemType(item) === "item_reference")
    .map((item) => String(item.value["id"]));
}

/** What an item is: a message may leave its type out, and so may a reference. */
export function itemType({ value }: JsonBody): string {
  const type = value["type"] ?? (typeof value["role"] === "string" ? "message" : "item_reference");
  return String(type);
}

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

/** The JSON text of a member; of duplicates the last counts. */
export function memberText(object: string, key: string): string | undefined {
  const member = members(object).findLast((candidate) => candidate.key === key);
  return member === undefined ? undefined : object.slice(member.valueStart, member.valueEnd);
}

/** The JSON texts of an array's elements; none where it is no array. */
export function elementTexts(array: string | undefined): readonly string[] {
  if (array === undefined || !array.startsWith("[")) return [];
  return elements(array).map(({ start, end }) => array.slice(start, end));
}

function itemOf(value: Readonly<Record<string, unknown>>): JsonBody {
  return { text: JSON.stringify(value), value };
}

function listOf({ text, value }: JsonBody, key: string): readonly JsonBody[] {
  const list = value[key];
  if (!Array.isArray(list)) return [];
  return elementTexts(memberText(text, key)).map((element, at) => ({
    text: element,
    value: list[at],
  }));
}
