/**
 * Requests to upstreams that speak Responses themselves: the caller's bytes where it stands alone,
 * else with what it leans on written out.
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

/** A request that leans on nothing: earlier items and references stand in its input. */
export function selfContained(body: JsonBody, options: TranslationOptions): JsonBody {
  const items = requestItems(body).map((item) => referencedItem(item, options.references) ?? item);
  const all = [...options.earlierItems ?? [], ...items];
  const input = `[${all.flatMap((item) => carried(item, options.findings)).join(",")}]`;
  const text = editMembers(body.text, { input, previous_response_id: "null" });
  return { text, value: recordOf(text) };
}

/** What of the items that stand in full in such a request is left out, for being another model's. */
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
 * True when the request has items that another model than the upstream's own made, or may have made;
 * `owned`: of the ids that it names those which its owner was answered with.
 */
export function hasForeignItems(body: JsonBody, owned: ReadonlySet<string>): boolean {
  return requestItems(body).some((item) =>
    isOwnId(item.value["id"]) || isForgottenReasoning(item, owned)
  );
}

function carried(item: JsonBody, findings: TranslationOptions["findings"]): readonly string[] {
  const type = itemType(item);
  // Known to the upstream that made them alone, unless they bring their content with them.
  if (type === "reasoning" && typeof item.value["encrypted_content"] !== "string") return [];
  if (isSearch(item)) {
    const content = findings?.get(String(item.value["id"]));
    // Else it is in the text that follows the search.
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
