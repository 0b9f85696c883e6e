/**
 * Requests to upstreams of Responses: the caller's bytes where the request is complete in itself,
 * else with the referenced items written out.
 *
 * @module
 */

import type { JsonBody } from "../../ports/upstream.ts";
import { recordOf } from "../json/parse.ts";
import { editMembers } from "../json/text.ts";
import {
  isForgottenReasoning,
  isOwnId,
  isSearch,
  itemType,
  referencedItem,
  requestItems,
} from "./items.ts";
import type { TranslationOptions } from "./chat_request.ts";
import type { Loss } from "./loss.ts";

/** Members of an item that only the upstream which made it understands. */
const FOREIGN_MEMBERS = ["id", "status", "phase"];

/** Returns a request without references: earlier and referenced items are in its input. */
export function selfContained(body: JsonBody, options: TranslationOptions): JsonBody {
  const items = requestItems(body).map((item) => referencedItem(item, options.references) ?? item);
  const all = [...options.earlierItems ?? [], ...items];
  const input = `[${all.flatMap((item) => carried(item, options.findings)).join(",")}]`;
  const text = editMembers(body.text, { input, previous_response_id: "null" });
  return { text, value: recordOf(text) };
}

/** Returns the members of such a request's items that are left out, as another model made them. */
export function foreignLosses(body: JsonBody, options: TranslationOptions): readonly Loss[] {
  const own = requestItems(body).map((item, at) => [item, `input.${at}`] as const);
  const earlier = (options.earlierItems ?? []).map((item) =>
    [item, "previous_response_id"] as const
  );
  return [...earlier, ...own].flatMap(([named, path]): Loss[] => {
    const item = referencedItem(named, options.references) ?? named;
    const { phase } = item.value;
    const lost = (path: string, reason: string): Loss[] => [{ path, reason, action: "report" }];
    if (carried(item, options.findings).length === 0) {
      return lost(path, UNTOLD[itemType(item)] ?? READ);
    }
    return phase === undefined || phase === null
      ? []
      : lost(`${path}.phase`, "it means something to the model that set it alone");
  });
}

const READ = "of a search the model reads only the text that came of it";
const UNTOLD: Readonly<Record<string, string>> = {
  reasoning: "earlier reasoning is not repeated to another model",
};

/**
 * True when the request has items that another model than the upstream's own made, or may have
 * made; `owned` are those of its ids that its owner has received.
 */
export function hasForeignItems(body: JsonBody, owned: ReadonlySet<string>): boolean {
  return requestItems(body).some((item) =>
    isOwnId(item.value["id"]) || isForgottenReasoning(item, owned)
  );
}

function carried(item: JsonBody, findings: TranslationOptions["findings"]): readonly string[] {
  const type = itemType(item);
  // Known only to the upstream that made it, unless it includes its content.
  if (type === "reasoning" && typeof item.value["encrypted_content"] !== "string") return [];
  if (isSearch(item)) {
    const content = findings?.get(String(item.value["id"]));
    // Otherwise it is in the text that follows the search.
    return content === undefined
      ? []
      : [JSON.stringify({ type: "message", role: "user", content })];
  }
  const foreign = FOREIGN_MEMBERS.filter((name) => item.value[name] !== undefined);
  if (foreign.length === 0) return [item.text];
  const value = Object.fromEntries(
    Object.entries(item.value).filter(([name]) => !foreign.includes(name)),
  );
  return [JSON.stringify(value)];
}
