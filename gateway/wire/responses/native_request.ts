/**
 * Requests to upstreams that speak Responses themselves: the caller's bytes where it stands alone,
 * else with what it leans on written out.
 *
 * @module
 */

import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers } from "../json_text.ts";
import { itemType, referencedItem, requestItems } from "./items.ts";
import type { TranslationOptions } from "./chat_request.ts";

/** Members of an item that only the upstream which made it understands. */
const FOREIGN_MEMBERS = ["id", "status", "phase"];

/** Ids that this service gives: items of other upstreams' answers. */
const OWN_ID = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

/** A request that leans on nothing: earlier items and references stand in its input. */
export function selfContained(body: JsonBody, options: TranslationOptions): JsonBody {
  const items = requestItems(body).map((item) => referencedItem(item, options.references) ?? item);
  const all = [...options.earlierItems ?? [], ...items];
  const input = `[${all.flatMap((item) => carried(item)).join(",")}]`;
  const text = editMembers(body.text, { input, previous_response_id: "null" });
  return { text, value: JSON.parse(text) };
}

/** Whether the request has items that another model than the upstream's own made. */
export function hasForeignItems(body: JsonBody): boolean {
  return requestItems(body).some(({ value }) =>
    typeof value["id"] === "string" && OWN_ID.test(value["id"])
  );
}

function carried(item: JsonBody): readonly string[] {
  const type = itemType(item);
  // Known to the upstream that made them alone, unless they bring their content with them.
  if (type === "reasoning" && typeof item.value["encrypted_content"] !== "string") return [];
  // What a search found is in the text that follows it.
  if (type === "web_search_call" || type === "file_search_call") return [];
  const foreign = FOREIGN_MEMBERS.filter((name) => item.value[name] !== undefined);
  if (foreign.length === 0) return [item.text];
  const value = Object.fromEntries(
    Object.entries(item.value).filter(([name]) => !foreign.includes(name)),
  );
  return [JSON.stringify(value)];
}
