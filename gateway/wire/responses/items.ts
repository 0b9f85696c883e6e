/**
 * Items of Responses with their own bytes: what a model signed must come back as it was.
 *
 * @module
 */

import type { JsonBody } from "../../ports/upstream.ts";
import { elementTexts, memberText } from "../json_text.ts";

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

/** The item that a reference stands for; `undefined` where it is none or names nothing known. */
export function referencedItem(
  item: JsonBody,
  references: ReadonlyMap<string, JsonBody> | undefined,
): JsonBody | undefined {
  if (itemType(item) !== "item_reference") return undefined;
  const found = references?.get(String(item.value["id"]));
  return found === undefined || itemType(found) === "item_reference" ? undefined : found;
}

/** What an item is: a message may leave its type out, and so may a reference. */
export function itemType({ value }: JsonBody): string {
  const type = value["type"] ?? (typeof value["role"] === "string" ? "message" : "item_reference");
  return String(type);
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
