/**
 * The earlier content that a Responses request refers to: the responses that it continues, and
 * items that it names instead of repeating them.
 *
 * @module
 */

import type { ResponsesRequest } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { Admit, ResponseStore, StoredResponse } from "../../ports/response_store.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { namedIds, outputItems, requestItems } from "../../wire/responses/items.ts";
import { recordOf } from "../../wire/json/parse.ts";

/** Maximum responses that one continues, itself not counted. */
export const CHAIN_MAX = 1_000;
/** Maximum text of earlier items, in UTF-16 code units: the maximum size of a request body. */
export const HISTORY_MAX_CHARS = 32 * 1024 * 1024;
/** Maximum different items that a request names. */
export const REFERENCES_MAX = 1_000;

/** Earlier items of a conversation, and the upstream that stores them. */
export interface ResponseHistory {
  /** Items of the responses that it continues, oldest first. */
  readonly earlierItems: readonly JsonBody[];
  /** Items that the request names, by id. */
  readonly references: ReadonlyMap<string, JsonBody>;
  /** Named ids of items that were in answers to the same owner. */
  readonly owned: ReadonlySet<string>;
  /** Results of searches that no text cites, by the ids of their items. */
  readonly findings: ReadonlyMap<string, string>;
  /** The upstream that stores all of it under the same ids, if there is one. */
  readonly upstreamId: string | undefined;
}

const NONE: ResponseHistory = {
  earlierItems: [],
  references: new Map(),
  owned: new Set(),
  findings: new Map(),
  upstreamId: undefined,
};

/**
 * Reads the earlier content of a request. Throws a {@linkcode ServiceFault} if it is not stored or
 * has expired. `admit` counts the bytes of continued responses, like those of the body.
 */
export async function historyOf(
  store: Pick<ResponseStore, "get" | "withItem">,
  ownerId: string,
  { body, admit }: { readonly body: JsonBody; readonly admit?: Admit | undefined },
): Promise<ResponseHistory> {
  const { previous_response_id: previousId } = body.value as unknown as ResponsesRequest;
  const isContinued = typeof previousId === "string";
  const wanted = new Set(requestItems(body).flatMap(namedIds).map(({ id }) => id));
  if (!isContinued && wanted.size === 0) return NONE;
  const chain = isContinued ? await chainOf(store, ownerId, { lastId: previousId, admit }) : [];
  const named = await namedItems(store, ownerId, { wanted, chain });
  const upstreamIds = new Set([
    ...chain.slice(-1).map((stored) => stored.upstreamId),
    ...named.upstreamIds,
  ]);
  const [upstreamId] = upstreamIds;
  return {
    earlierItems: chain.flatMap(itemsOf),
    references: named.references,
    owned: named.owned,
    findings: new Map([...named.findings, ...chain.flatMap(findingsOf)]),
    upstreamId: upstreamIds.size === 1 ? upstreamId : undefined,
  };
}

/** Returns the responses that one continues, oldest first. */
async function chainOf(
  store: Pick<ResponseStore, "get" | "withItem">,
  ownerId: string,
  { lastId, admit }: { readonly lastId: string; readonly admit?: Admit | undefined },
): Promise<StoredResponse[]> {
  const chain: StoredResponse[] = [];
  const seen = new Set<string>();
  let chars = 0;
  // An upstream that uses an id twice may cause a cycle, so no response is read twice.
  for (let id: string | undefined = lastId; id !== undefined && !seen.has(id);) {
    seen.add(id);
    const stored: StoredResponse | undefined = await store.get(ownerId, id, admit);
    if (stored === undefined) throw notStored(lastId, id);
    chars += stored.resource.length;
    for (const item of stored.input) chars += item.length;
    for (const [, text] of findingsOf(stored)) chars += text.length;
    if (chain.push(stored) > CHAIN_MAX || chars > HISTORY_MAX_CHARS) {
      throw new ServiceFault("invalid_request", {
        message:
          `The conversation before "${lastId}" is too long; send what matters of it as input`,
        param: "previous_response_id",
      });
    }
    id = stored.previousId;
  }
  return chain.reverse();
}

/** Returns the items that a response adds to a conversation. */
function itemsOf(stored: StoredResponse): JsonBody[] {
  return [...stored.input.map(bodyOf), ...answeredItems(stored)];
}

function findingsOf(stored: StoredResponse): [string, string][] {
  return Object.entries(stored.found ?? {});
}

function answeredItems({ resource }: StoredResponse): readonly JsonBody[] {
  return outputItems(bodyOf(resource));
}

/** The items that a request names by id, and the upstreams that store them. */
interface NamedItems {
  readonly references: ReadonlyMap<string, JsonBody>;
  readonly owned: ReadonlySet<string>;
  readonly upstreamIds: ReadonlySet<string | undefined>;
  readonly findings: ReadonlyMap<string, string>;
}

async function namedItems(
  store: Pick<ResponseStore, "get" | "withItem">,
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
  const note = (stored: StoredResponse) => {
    for (const [id, text] of findingsOf(stored)) searched.set(id, text);
    for (const item of knownItems(stored)) {
      const id = item.body.value["id"];
      if (typeof id !== "string" || !wanted.has(id)) continue;
      // An item of an answer is more reliable than one that a request repeats.
      if (item.isOwned || known.get(id)?.isOwned !== true) known.set(id, item);
    }
  };
  if (wanted.size > 0) chain.forEach(note);
  for (const id of wanted) {
    if (known.get(id)?.isOwned === true) continue;
    const stored = await store.withItem(ownerId, id);
    // An unknown item is refused with its path when the request is read.
    if (stored !== undefined) note(stored);
  }
  const items = [...known];
  return {
    references: new Map(items.map(([id, { body }]) => [id, body])),
    owned: new Set(items.flatMap(([id, { isOwned }]) => isOwned ? [id] : [])),
    upstreamIds: new Set(items.map(([, { upstreamId }]) => upstreamId)),
    findings: searched,
  };
}

interface KnownItem {
  readonly body: JsonBody;
  /**
   * True when it was in an answer to its owner. A request may give any id to its items: only an
   * item without content was looked up before it was stored.
   */
  readonly isOwned: boolean;
  /** The upstream that stores it under its id. */
  readonly upstreamId: string | undefined;
}

function knownItems(stored: StoredResponse): KnownItem[] {
  const inputs = stored.input.map(bodyOf).map((body) => ({
    body,
    isOwned: namedIds(body).length > 0,
  }));
  const answered = answeredItems(stored).map((body) => ({ body, isOwned: true }));
  return [...inputs, ...answered].map((item) => ({
    ...item,
    upstreamId: item.isOwned ? stored.upstreamId : undefined,
  }));
}

function bodyOf(text: string): JsonBody {
  return { text, value: recordOf(text) };
}

function notStored(lastId: string, id: string): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: id === lastId
      ? `No response "${id}" is kept; it was not stored, was deleted, or has expired`
      : `Response "${lastId}" continues "${id}", which is not kept any more; send the conversation ` +
        "as input",
    param: "previous_response_id",
  });
}
