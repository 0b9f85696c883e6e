/**
 * Items of Responses that keep their bytes: signed members must come back unchanged.
 *
 * @module
 */

import type { JsonBody } from "../../ports/upstream.ts";
import { elementTexts, memberText } from "../json/text.ts";

/** Returns the items of a request's `input`; a string is the user's message. */
export function requestItems(request: JsonBody): readonly JsonBody[] {
  const input = request.value["input"];
  if (typeof input === "string") return [itemOf({ type: "message", role: "user", content: input })];
  return listOf(request, "input");
}

/**
 * Returns the items of a response's `output`, which a later request's `previous_response_id` refers
 * to.
 */
export function outputItems(response: JsonBody): readonly JsonBody[] {
  return listOf(response, "output");
}

/** Ids that this service generates: items of other upstreams' answers. */
const OWN_ID = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

/** Members with the content of an item type: with it, the id is only a name. */
const CONTENT: ReadonlyMap<string, string> = new Map([
  ["message", "content"],
  ["reasoning", "encrypted_content"],
  ["compaction", "encrypted_content"],
  ["custom_tool_call", "input"],
  ["custom_tool_call_output", "output"],
  ["computer_call", "action"],
  ["computer_call_output", "output"],
]);

/** Item types whose schema requires the whole content. */
const WHOLE: readonly string[] = ["function_call", "function_call_output"];

/** Items of hosted tools. */
const SEARCHES: readonly string[] = ["web_search_call", "file_search_call"];

/** Members that name an item. */
const NAMES: readonly string[] = ["id", "approval_request_id"];

/** An id by which an item refers to stored content. */
export interface NamedId {
  readonly id: string;
  /** The member with the id. */
  readonly member: string;
}

/** True for an id that this service generated: it is sent to no upstream. */
export function isOwnId(id: unknown): boolean {
  return typeof id === "string" && OWN_ID.test(id);
}

/**
 * Returns the ids by which an item refers to stored content, here or in the operator's account at a
 * provider: that account is shared by all customers, so a caller may use only ids that it has
 * received.
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
 * True for earlier reasoning of which only the id is known, and that is not stored here: no model
 * can read it, and none needs it.
 */
export function isForgottenReasoning(item: JsonBody, owned: ReadonlySet<string>): boolean {
  return itemType(item) === "reasoning" && namedIds(item).some(({ id }) => !owned.has(id));
}

/** Returns the item that a reference names; `undefined` for other items and unknown references. */
export function referencedItem(
  item: JsonBody,
  references: ReadonlyMap<string, JsonBody> | undefined,
): JsonBody | undefined {
  if (itemType(item) !== "item_reference") return undefined;
  const target = references?.get(String(item.value["id"]));
  return target === undefined || itemType(target) === "item_reference" ? undefined : target;
}

/** Returns the type of an item: a message may leave it out, and so may a reference. */
export function itemType({ value }: JsonBody): string {
  const type = value["type"] ?? (typeof value["role"] === "string" ? "message" : "item_reference");
  return String(type);
}

/** True for the item of a hosted search. */
export function isSearch(item: JsonBody): boolean {
  return SEARCHES.includes(itemType(item));
}

/** The text is written when it is read: an input of megabytes is split into items several times. */
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
