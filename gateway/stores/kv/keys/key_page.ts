import type { KeyPage, KeyQuery, StoredKey } from "../../../ports/key_store.ts";
import { eachRow } from "../each_row.ts";
import { KEYS_READ_AT_ONCE, LIST_KEYS_READ, LIST_PLACES_READ } from "../limits.ts";
import { cursorAt, placeOf } from "../row_cursor.ts";
import { ALL_PLACES, decodePlace, type PlaceText, walletPlaces } from "./key_rows.ts";

/** A place and its position in the list. */
interface Place {
  readonly at: readonly [createdAtMs: number, id: string];
  readonly id: string;
}

/**
 * Reads a page of keys. The work is bounded: a search may end with few keys, or none, and a cursor.
 * A malformed cursor reads as the end.
 */
export async function readKeyPage(
  kv: Deno.Kv,
  query: KeyQuery,
  readKey: (id: string) => Promise<StoredKey | undefined>,
): Promise<KeyPage> {
  const range = rangeOf(query);
  if (range === undefined) return { keys: [] };
  const search = new Search(query, readKey);
  const reverse = query.oldestFirst !== true;
  // One place more than may be read: a cursor names the first place of the next page.
  const isSearch = query.text !== undefined || query.accepts !== undefined;
  const limit = (isSearch ? LIST_PLACES_READ : query.limit) + 1;
  let seen = 0;
  for await (const { key, value } of eachRow<Uint8Array>(kv, range, { reverse, limit })) {
    const at = [Number(key.at(-2)), String(key.at(-1))] as const;
    if (++seen === limit) return await search.end(at);
    const page = await search.next(at, decodePlace(value));
    if (page !== undefined) return page;
  }
  return await search.end();
}

/** Collects the keys of a page, place by place. */
class Search {
  readonly #query: KeyQuery;
  readonly #readKey: (id: string) => Promise<StoredKey | undefined>;
  readonly #text: string | undefined;
  readonly #keys: StoredKey[] = [];
  #unread: Place[] = [];
  #read = 0;

  constructor(query: KeyQuery, readKey: (id: string) => Promise<StoredKey | undefined>) {
    this.#query = query;
    this.#readKey = readKey;
    this.#text = query.text?.toLowerCase();
  }

  /** Takes the next place. Returns the page if it ends before this place. */
  async next(at: Place["at"], texts: PlaceText): Promise<KeyPage | undefined> {
    const text = this.#text;
    if (text !== undefined && !texts.some((each) => each.toLowerCase().includes(text))) return;
    if (this.#unread.length === KEYS_READ_AT_ONCE || this.#mayBeFull) {
      const page = await this.#readAll();
      if (page !== undefined) return page;
      if (this.#keys.length === this.#query.limit || this.#read >= LIST_KEYS_READ) {
        return this.#pageTo(at);
      }
    }
    this.#unread.push({ at, id: texts[0] });
  }

  /** Ends the page, before a place if there is one more. */
  async end(at?: Place["at"]): Promise<KeyPage> {
    return await this.#readAll() ?? this.#pageTo(at);
  }

  get #mayBeFull(): boolean {
    return this.#keys.length + this.#unread.length === this.#query.limit;
  }

  async #readAll(): Promise<KeyPage | undefined> {
    const places = this.#unread;
    this.#unread = [];
    this.#read += places.length;
    const read = await Promise.all(places.map(({ id }) => this.#readKey(id)));
    for (const [index, key] of read.entries()) {
      if (key === undefined || this.#query.accepts?.(key.record) === false) continue;
      if (this.#keys.length === this.#query.limit) return this.#pageTo(places[index]?.at);
      this.#keys.push(key);
    }
    return undefined;
  }

  #pageTo(at: Place["at"] | undefined): KeyPage {
    return { keys: this.#keys, cursor: at === undefined ? undefined : cursorAt(at) };
  }
}

/** Returns the places from the cursor on; `undefined` for a malformed cursor. */
function rangeOf(
  { cursor, walletId, oldestFirst = false }: KeyQuery,
): Deno.KvListSelector | undefined {
  const prefix = walletId === undefined ? ALL_PLACES : walletPlaces(walletId);
  if (cursor === undefined) return { prefix };
  const [createdAtMs, id, ...rest] = placeOf(cursor) ?? [];
  if (typeof createdAtMs !== "number" || typeof id !== "string" || rest.length > 0) return;
  return oldestFirst
    ? { prefix, start: [...prefix, createdAtMs, id] }
    : { prefix, end: [...prefix, createdAtMs, `${id}\0`] };
}
