/**
 * The rows of keys.
 *
 * @module
 */

import type { KeyRecord } from "../../../domain/policy/key.ts";
import type { StoredKey } from "../../../ports/key_store.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { KEYS_READ_AT_ONCE, MAX_VALUE_BYTES } from "../../kv/limits.ts";
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";

/** A key and its place in lists. */
export interface PlacedKey {
  readonly at: readonly [createdAtMs: number, id: string];
  readonly key: StoredKey;
}

/** A walk through the keys in the order of their creation. */
export interface Walk {
  /** Condition on rows. @default {all keys} */
  readonly where?: ReturnType<Sql> | undefined;
  /** @default {false} */
  readonly oldestFirst?: boolean | undefined;
  /** First place. @default {the first of all} */
  readonly from?: PlacedKey["at"] | undefined;
}

/** Returns the columns of a key. */
export function columnsOf(key: StoredKey) {
  const { id, walletId, status, createdAtMs, rotatedFrom } = key.record;
  const data = JSON.stringify(key);
  const { length } = new TextEncoder().encode(data);
  if (length > MAX_VALUE_BYTES) {
    throw new StoreError(
      `Cannot write key "${id}": it is ${length} bytes, at most ${MAX_VALUE_BYTES}`,
    );
  }
  return {
    id: textId(id),
    digest: textId(key.digest),
    is_active: status === "active",
    pepper: pepperOf(key.digest),
    wallet_id: textId(walletId),
    rotated_from: rotatedFrom === undefined ? null : textId(rotatedFrom),
    created_at_ms: createdAtMs,
    search: searchTexts(key.record).map(searchable).join("\n"),
    data,
  };
}

/** Returns the texts of a key that a search compares. */
export function searchTexts({ id, name, hint }: KeyRecord): readonly string[] {
  return [id, name, hint];
}

/** Returns a text in lower case, as PostgreSQL can store it. */
export function searchable(text: string): string {
  return text.toLowerCase().toWellFormed().replaceAll("\0", "\ufffd");
}

/** Yields keys, a few of them read at a time. */
export async function* eachKey(
  sql: Sql,
  { where = sql`true`, oldestFirst = false, from }: Walk = {},
): AsyncGenerator<PlacedKey> {
  const order = oldestFirst ? sql`created_at_ms, id` : sql`created_at_ms desc, id desc`;
  // The place of the last row read, which is not read again.
  let after: PlacedKey["at"] | undefined;
  while (true) {
    const place = after ?? from;
    const beyond = oldestFirst ? sql`>` : sql`<`;
    const equal = after === undefined ? sql`=` : sql``;
    const start = place === undefined
      ? sql`true`
      : sql`(created_at_ms, id) ${beyond}${equal} (${place[0]}, ${place[1]} collate "C")`;
    const rows = await query(sql<{ id: string; created_at_ms: bigint; data: string }[]>`
      select id, created_at_ms, data from api_key where ${where} and ${start}
      order by ${order} limit ${KEYS_READ_AT_ONCE}
    `);
    for (const { id, created_at_ms, data } of rows) {
      after = [Number(created_at_ms), id];
      yield { at: after, key: JSON.parse(data) };
    }
    if (rows.length < KEYS_READ_AT_ONCE) return;
  }
}

/** Returns the version of the pepper of a digest; `null` for a digest without one. */
function pepperOf(digest: string): number | null {
  const version = /^(\d{1,9})\./.exec(digest)?.[1];
  return version === undefined ? null : Number(version);
}
