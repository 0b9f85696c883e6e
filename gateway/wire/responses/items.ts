/**
 * Items of Responses with their own bytes: what a model signed must come back as it was.
 *
 * @module
 */

import type { JsonBody } from "../../ports/upstream.ts";
import { elementTexts, memberText } from "../json/text.ts";

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

/** Ids that this service gives: items of other upstreams' answers. */
const OWN_ID = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

/** Where an item of a type says what it is about: beside that its id is but a name. */
const CONTENT: ReadonlyMap<string, string> = new Map([
  ["message", "content"],
  ["reasoning", "encrypted_content"],
  ["compaction", "encrypted_content"],
  ["custom_tool_call", "input"],
  ["custom_tool_call_output", "output"],
  ["computer_call", "action"],
  ["computer_call_output", "output"],
]);

/** Items whose schema demands all that they say. */
const WHOLE: readonly string[] = ["function_call", "function_call_output"];

/** Items of hosted tools. */
const SEARCHES: readonly string[] = ["web_search_call", "file_search_call"];

/** Members that name an item. */
const NAMES: readonly string[] = ["id", "approval_request_id"];

/** An id by which an item names what is kept, instead of saying it. */
export interface NamedId {
  readonly id: string;
  /** The member that it stands in. */
  readonly member: string;
}

/** Whether an id is one that this service gave: no upstream is told it. */
export function isOwnId(id: unknown): boolean {
  return typeof id === "string" && OWN_ID.test(id);
}

/**
 * The ids by which an item names what is kept, here or in the operator's account at a provider:
 * there it lies for all customers alike, so who names it must have been answered with it.
 */
export function namedIds(item: JsonBody): readonly NamedId[] {
  const type = itemType(item);
  if (WHOLE.includes(type) || hasContent(item, type)) return [];
  return NAMES.flatMap((member) => {
    const id = item.value[member];
    // An id of the service's own is left out where an item goes to an upstream.
    const isLeftOut = type !== "item_reference" && member === "id" && isOwnId(id);
    return typeof id === "string" && id !== "" && !isLeftOut ? [{ id, member }] : [];
  });
}

function hasContent({ value }: JsonBody, type: string): boolean {
  const member = CONTENT.get(type);
  const content = member === undefined ? undefined : value[member];
  if (typeof content === "string") return content !== "";
  return typeof content === "object" && content !== null && Object.keys(content).length > 0;
}

/**
 * True for earlier reasoning of which nothing is known but its id, and that not here: no model
 * can be told of it, and none misses it.
 */
export function isForgottenReasoning(item: JsonBody, owned: ReadonlySet<string>): boolean {
  return itemType(item) === "reasoning" && namedIds(item).some(({ id }) => !owned.has(id));
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

/** Whether an item is the trace of a hosted search. */
export function isSearch(item: JsonBody): boolean {
  return SEARCHES.includes(itemType(item));
}

/** Written when it is read: an input of megabytes is asked for its items several times. */
function itemOf(value: Readonly<Record<string, unknown>>): JsonBody {
  let written: string | undefined;
  return {
    value,
    get text() {
      return written ??= JSON.stringify(value);
    },
  };
}

function listOf({ text, value }: JsonBody, key: string): readonly JsonBody[] {
  const list = value[key];
  if (!Array.isArray(list)) return [];
  return elementTexts(memberText(text, key)).map((element, at) => ({
    text: element,
    value: list[at],
  }));
}
