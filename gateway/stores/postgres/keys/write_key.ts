/**
 * Changes of keys, each in a transaction. Locks are taken in the order of `../sql/locks.ts`: the digest
 * of a new key, the key's row, the number of keys, the numbers of changes, the end of the audit log.
 *
 * @module
 */

import type { KeyRecord } from "../../../domain/policy/key.ts";
import type { Noted } from "../../../domain/operators/trail.ts";
import type { StoredKey } from "../../../ports/key_store.ts";
import { announce } from "../changes/announce.ts";
import type { Transaction } from "../connection.ts";
import { noteIn } from "../operators/trail.ts";
import { lockDigest } from "../sql/locks.ts";
import { assignmentsOf, rowsOf } from "../statement.ts";
import { textId } from "../text_id.ts";
import { columnsOf } from "./key_rows.ts";

/** A record, and the number of the last change that it contains. */
interface Changed {
  readonly record: KeyRecord;
  readonly at: number;
}

/** Stores a key; resolves to the number of keys, or `undefined` if the id or digest is taken. */
export async function insertKey(
  sql: Transaction,
  key: StoredKey,
  { entry }: Noted<KeyRecord> = {},
): Promise<number | undefined> {
  const row = columnsOf(key);
  await lockDigest(sql, row.digest);
  const taken = await sql`select from api_key where is_active and digest = ${row.digest} limit 1`;
  if (taken.length > 0) return undefined;
  const inserted = await sql`insert into api_key ${rowsOf([row])} on conflict do nothing`;
  if (inserted.count === 0) return undefined;
  const [count] = await sql<{ number: bigint }[]>`
    update key_count set number = number + 1 returning number
  `;
  await announce(sql, "new_key", [row.digest]);
  await noteIn(sql, entry?.({ after: key.record }));
  return Number(count?.number ?? 0);
}

/** Replaces a record by the result of `change`. Resolves to `undefined` if there is no such key. */
export async function updateKey(
  sql: Transaction,
  { id, change, entry }: Noted<KeyRecord> & {
    readonly id: string;
    readonly change: (key: StoredKey) => KeyRecord;
  },
): Promise<Changed | undefined> {
  const key = await lockedKey(sql, id);
  if (key === undefined) return undefined;
  const record = change(key);
  if (!isSame(record, key.record)) await writeKey(sql, { ...key, record });
  // A use is no change that others must hear of: each notes its own.
  if (isSame(unused(record), unused(key.record))) return { record, at: await lastChange(sql) };
  const at = await announce(sql, "key", [textId(key.digest)]);
  await noteIn(sql, entry?.({ before: key.record, after: record }));
  return { record, at };
}

/** Stores a key under another digest; resolves to false if it is not stored under `from`. */
export async function moveKey(
  sql: Transaction,
  id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const key = await lockedKey(sql, id);
  if (key?.digest !== from) return false;
  await writeKey(sql, { ...key, digest: to });
  await announce(sql, "key", [textId(from), textId(to)]);
  return true;
}

async function lockedKey(sql: Transaction, id: string): Promise<StoredKey | undefined> {
  const [row] = await sql<{ data: string }[]>`
    select data from api_key where id = ${textId(id)} for no key update
  `;
  return row && JSON.parse(row.data);
}

async function writeKey(sql: Transaction, key: StoredKey): Promise<void> {
  const { id, ...columns } = columnsOf(key);
  await sql`update api_key set ${assignmentsOf(columns)} where id = ${id}`;
}

/** Returns the number of the last change, which is at least that of a key whose row is locked. */
async function lastChange(sql: Transaction): Promise<number> {
  const [row] = await sql<{ last: bigint }[]>`select last from change_head`;
  return Number(row?.last ?? 0);
}

function unused(record: KeyRecord): KeyRecord {
  return { ...record, lastUsedAtMs: undefined };
}

function isSame(one: KeyRecord, other: KeyRecord): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
