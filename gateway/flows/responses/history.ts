/**
 * What a Responses request leans on besides itself: the responses it continues, and items that it
 * names instead of repeating them.
 *
 * @module
 */

import type { ResponsesRequest } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { Admit, ResponseStore, StoredResponse } from "../../ports/response_store.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { namedIds, outputItems, requestItems } from "../../wire/responses/items.ts";
import { recordOf } from "../../wire/json/parse.ts";

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
  /** Items that it names, by id. */
  readonly references: ReadonlyMap<string, JsonBody>;
  /** Of the ids that it names those which its owner was answered with. */
  readonly owned: ReadonlySet<string>;
  /** What searches found that no text stands for, by the ids of their items. */
  readonly found: ReadonlyMap<string, string>;
  /** The upstream that keeps all of it under the same ids, where there is one. */
  readonly upstreamId: string | undefined;
}

const NONE: ResponseHistory = {
  earlierItems: [],
  references: new Map(),
  owned: new Set(),
  found: new Map(),
  upstreamId: undefined,
};

/**
 * Reads what a request leans on. Throws a {@linkcode ServiceFault} where it is not (or no more) kept.
 * `admit` counts the responses that it continues, like its own body.
 */
export async function historyOf(
  store: ResponseStore,
  ownerId: string,
  { body, admit }: { readonly body: JsonBody; readonly admit?: Admit | undefined },
): Promise<ResponseHistory> {
  const { previous_response_id: previousId } = body.value as unknown as ResponsesRequest;
  const isContinued = typeof previousId === "string";
  const wanted = new Set(requestItems(body).flatMap(namedIds).map(({ id }) => id));
  if (!isContinued && wanted.size === 0) return NONE;
  const chain = isContinued ? await chainOf(store, ownerId, { lastId: previousId, admit }) : [];
  const named = await namedItems(store, ownerId, { wanted, chain });
  const keepers = new Set([...chain.slice(-1).map((kept) => kept.upstreamId), ...named.keepers]);
  const [keeper] = keepers;
  return {
    earlierItems: chain.flatMap(itemsOf),
    references: named.references,
    owned: named.owned,
    found: new Map([...named.found, ...chain.flatMap(foundOf)]),
    upstreamId: keepers.size === 1 ? keeper : undefined,
  };
}

/** The responses that one continues, oldest first. */
async function chainOf(
  store: ResponseStore,
  ownerId: string,
  { lastId, admit }: { readonly lastId: string; readonly admit?: Admit | undefined },
): Promise<StoredResponse[]> {
  const chain: StoredResponse[] = [];
  const seen = new Set<string>();
  let chars = 0;
  // An upstream that gives an id twice may have made a circle: what was read is not read again.
  for (let id: string | undefined = lastId; id !== undefined && !seen.has(id);) {
    seen.add(id);
    const found: StoredResponse | undefined = await store.get(ownerId, id, admit);
    if (found === undefined) throw notKept(lastId, id);
    chars += found.resource.length;
    for (const item of found.input) chars += item.length;
    for (const [, text] of foundOf(found)) chars += text.length;
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
function itemsOf(kept: StoredResponse): JsonBody[] {
  return [...kept.input.map(bodyOf), ...answeredItems(kept)];
}

function foundOf({ found }: StoredResponse): [string, string][] {
  return Object.entries(found ?? {});
}

function answeredItems({ resource }: StoredResponse): readonly JsonBody[] {
  return outputItems(bodyOf(resource));
}

/** What a request names: each item, whose it is, and which upstreams know it by its id. */
interface NamedItems {
  readonly references: ReadonlyMap<string, JsonBody>;
  readonly owned: ReadonlySet<string>;
  readonly keepers: ReadonlySet<string | undefined>;
  readonly found: ReadonlyMap<string, string>;
}

async function namedItems(
  store: ResponseStore,
  ownerId: string,
  { wanted, chain }: {
    readonly wanted: ReadonlySet<string>;
    readonly chain: readonly StoredResponse[];
  },
): Promise<NamedItems> {
  if (wanted.size > REFERENCES_MAX) {
    throw new ServiceFault("invalid_request", {
      message: `The input refers to more than ${REFERENCES_MAX} items`,
      param: "input",
    });
  }
  const known = new Map<string, KnownItem>();
  const searched = new Map<string, string>();
  const note = (kept: StoredResponse) => {
    for (const [id, text] of foundOf(kept)) searched.set(id, text);
    for (const item of knownItems(kept)) {
      const id = item.body.value["id"];
      if (typeof id !== "string" || !wanted.has(id)) continue;
      // An answer's own item says more of its id than one that a request repeats.
      if (item.isOwned || known.get(id)?.isOwned !== true) known.set(id, item);
    }
  };
  if (wanted.size > 0) chain.forEach(note);
  for (const id of wanted) {
    if (known.get(id)?.isOwned === true) continue;
    const found = await store.withItem(ownerId, id);
    // An item that is not kept is refused where the request is read, with its path.
    if (found !== undefined) note(found);
  }
  const items = [...known];
  return {
    references: new Map(items.map(([id, { body }]) => [id, body])),
    owned: new Set(items.flatMap(([id, { isOwned }]) => isOwned ? [id] : [])),
    keepers: new Set(items.map(([, { keeper }]) => keeper)),
    found: searched,
  };
}

interface KnownItem {
  readonly body: JsonBody;
  /**
   * Whether its owner was answered with it. A request may give any id to what it says itself: only
   * where it said nothing beside the id, that was looked up before it was kept.
   */
  readonly isOwned: boolean;
  /** The upstream that knows it by its id. */
  readonly keeper: string | undefined;
}

function knownItems(kept: StoredResponse): KnownItem[] {
  const said = kept.input.map(bodyOf).map((body) => ({
    body,
    isOwned: namedIds(body).length > 0,
  }));
  const answered = answeredItems(kept).map((body) => ({ body, isOwned: true }));
  return [...said, ...answered].map((item) => ({
    ...item,
    keeper: item.isOwned ? kept.upstreamId : undefined,
  }));
}

function bodyOf(text: string): JsonBody {
  return { text, value: recordOf(text) };
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
