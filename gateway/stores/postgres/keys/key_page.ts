import type { KeyPage, KeyQuery, StoredKey } from "../../../ports/key_store.ts";
import { LIST_KEYS_READ } from "../../kv/limits.ts";
import { cursorAt, placeOf } from "../../kv/row_cursor.ts";
import type { Sql } from "../connection.ts";
import { textId } from "../text_id.ts";
import { eachKey, type PlacedKey, searchable, searchTexts } from "./key_rows.ts";

/**
 * Reads a page of keys. At most 600 keys are read: a search may end with few keys, or none, and a
 * cursor. A malformed cursor reads as the end.
 */
export async function readKeyPage(sql: Sql, query: KeyQuery): Promise<KeyPage> {
  const from = query.cursor === undefined ? undefined : placeAt(query.cursor);
  if (query.cursor !== undefined && from === undefined) return { keys: [] };
  const { walletId, oldestFirst } = query;
  const text = query.text?.toLowerCase();
  const ofWallet = walletId === undefined ? sql`true` : sql`wallet_id = ${textId(walletId)}`;
  const hasText = text === undefined ? sql`true` : sql`strpos(search, ${searchable(text)}) > 0`;
  const keys: StoredKey[] = [];
  let read = 0;
  const walk = eachKey(sql, { where: sql`${ofWallet} and ${hasText}`, oldestFirst, from });
  for await (const { at, key } of walk) {
    if (keys.length === query.limit || read++ === LIST_KEYS_READ) {
      return { keys, cursor: cursorAt(at) };
    }
    if (text !== undefined && !hasTextIn(key, text)) continue;
    if (query.accepts?.(key.record) !== false) keys.push(key);
  }
  return { keys };
}

function hasTextIn({ record }: StoredKey, text: string): boolean {
  return searchTexts(record).some((each) => each.toLowerCase().includes(text));
}

function placeAt(cursor: string): PlacedKey["at"] | undefined {
  const [createdAtMs, id, ...rest] = placeOf(cursor) ?? [];
  if (!Number.isSafeInteger(createdAtMs) || typeof id !== "string" || rest.length > 0) return;
  return id.includes("\0") ? undefined : [Number(createdAtMs), id];
}
