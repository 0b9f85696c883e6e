/**
 * What a Responses request leans on besides itself: the responses it continues, and items that it
 * names instead of repeating them.
 *
 * @module
 */

import type { ResponsesRequest } from "@svc/sdk/protocol";
import { ServiceFault } from "../domain/fault.ts";
import type { ResponseStore, StoredResponse } from "../ports/response_store.ts";
import type { JsonBody } from "../ports/upstream.ts";
import { outputItems, referencedIds, requestItems } from "../wire/responses/items.ts";

/** Most responses that one continues, itself not counted. */
export const CHAIN_MAX = 1_000;
/** Most text of earlier items, in UTF-16 code units: what a request body may be large. */
export const HISTORY_MAX_CHARS = 32 * 1024 * 1024;
/** Most different items that a request names. */
export const REFERENCES_MAX = 1_000;

/** Items that were said before, and who knows them. */
export interface ResponseHistory {
  /** Of the responses it continues, oldest first. */
  readonly earlierItems: readonly JsonBody[];
  /** Items that it refers to, by id. */
  readonly references: ReadonlyMap<string, JsonBody>;
  /** The upstream that keeps all of it under the same ids, where there is one. */
  readonly upstreamId: string | undefined;
}

const NONE: ResponseHistory = {
  earlierItems: [],
  references: new Map(),
  upstreamId: undefined,
};

/** Reads what a request leans on. Throws a {@linkcode ServiceFault} where it is not (or no more) kept. */
export async function historyOf(
  store: ResponseStore,
  ownerId: string,
  body: JsonBody,
): Promise<ResponseHistory> {
  const { previous_response_id: previousId } = body.value as unknown as ResponsesRequest;
  const isContinued = typeof previousId === "string";
  const wanted = new Set(referencedIds(requestItems(body)));
  if (!isContinued && wanted.size === 0) return NONE;
  const chain = isContinued ? await chainOf(store, ownerId, previousId) : [];
  const earlierItems = chain.flatMap(itemsOf);
  const named = wanted.size === 0
    ? { references: NONE.references, sources: [] }
    : await referencesOf(store, ownerId, { wanted, earlierItems });
  const keepers = new Set([...chain.slice(-1), ...named.sources].map((kept) => kept.upstreamId));
  const [keeper] = keepers;
  return {
    earlierItems,
    references: named.references,
    upstreamId: keepers.size === 1 ? keeper : undefined,
  };
}

/** The responses that one continues, oldest first. */
async function chainOf(
  store: ResponseStore,
  ownerId: string,
  lastId: string,
): Promise<StoredResponse[]> {
  const chain: StoredResponse[] = [];
  let chars = 0;
  for (let id: string | undefined = lastId; id !== undefined;) {
    const found: StoredResponse | undefined = await store.get(ownerId, id);
    if (found === undefined) throw notKept(lastId, id);
    chars += found.resource.length;
    for (const item of found.input) chars += item.length;
    if (chain.push(found) > CHAIN_MAX || chars > HISTORY_MAX_CHARS) {
      throw new ServiceFault("invalid_request", {
        message:
          `The conversation before "${lastId}" is too long; send what matters of it as input`,
        param: "previous_response_id",
      });
    }
    id = found.previousId;
  }
  return chain.reverse();
}

/** What a response stands for when it is continued. */
function itemsOf({ input, resource }: StoredResponse): JsonBody[] {
  const value = JSON.parse(resource);
  return [...input.map(bodyOf), ...outputItems({ text: resource, value })];
}

async function referencesOf(
  store: ResponseStore,
  ownerId: string,
  lean: { readonly wanted: ReadonlySet<string>; readonly earlierItems: readonly JsonBody[] },
): Promise<{ references: Map<string, JsonBody>; sources: StoredResponse[] }> {
  if (lean.wanted.size > REFERENCES_MAX) {
    throw new ServiceFault("invalid_request", {
      message: `The input refers to more than ${REFERENCES_MAX} items`,
      param: "input",
    });
  }
  const references = new Map<string, JsonBody>();
  const sources: StoredResponse[] = [];
  const note = (items: readonly JsonBody[]) => {
    for (const item of items) {
      const id = item.value["id"];
      if (typeof id === "string" && lean.wanted.has(id)) references.set(id, item);
    }
  };
  note(lean.earlierItems);
  for (const id of lean.wanted) {
    if (references.has(id)) continue;
    const found = await store.withItem(ownerId, id);
    // An item that is not kept is refused where the request is translated, with its path.
    if (found === undefined) continue;
    sources.push(found);
    note(itemsOf(found));
  }
  return { references, sources };
}

function bodyOf(text: string): JsonBody {
  return { text, value: JSON.parse(text) };
}

function notKept(lastId: string, id: string): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: id === lastId
      ? `No response "${id}" is kept; it was not stored, was deleted, or has expired`
      : `Response "${lastId}" continues "${id}", which is not kept any more; send the conversation ` +
        "as input",
    param: "previous_response_id",
  });
}
