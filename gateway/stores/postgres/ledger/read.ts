/**
 * Reads of the ledger's present state, and of statements.
 *
 * @module
 */

import type { Hold, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import type { JournalPage, JournalQuery } from "../../../ports/ledger_store.ts";
import { decodeEntry } from "../../kv/journal/journal_codec.ts";
import { cursorAt, numberOf } from "../../kv/row_cursor.ts";
import { query, type Sql } from "../connection.ts";
import { idOf, textId } from "../text_id.ts";
import { decodeHold, namedOf } from "./rows.ts";
import { walletOf, type WalletRow } from "./wallet_row.ts";

/** A row of the table `key_spend`. */
export interface SpendRow {
  readonly id: string;
  readonly original: string | null;
  readonly held: bigint;
  readonly day: string;
  readonly day_spent: bigint;
  readonly month: string;
  readonly month_spent: bigint;
  readonly total_spent: bigint;
  readonly named: string | null;
}

/** Returns a wallet. */
export async function readWallet(sql: Sql, id: string): Promise<Wallet | undefined> {
  const [row] = await query(sql<WalletRow[]>`
    select id, original, tier, credits, available, held, spent, written_off, created_at_ms,
          closed_at_ms
    from wallet where id = ${textId(id)}
  `);
  return row === undefined ? undefined : walletOf(row);
}

/** Returns the number of wallets. */
export async function countWallets(sql: Sql): Promise<number> {
  const [row] = await query(sql<{ count: bigint }[]>`select count(*) as count from wallet`);
  return Number(row?.count ?? 0);
}

/** Returns the spend of a key. */
export async function readSpend(sql: Sql, keyId: string): Promise<KeySpend | undefined> {
  const id = textId(keyId);
  const [row] = await query(sql<SpendRow[]>`
    select id, original, held, day, day_spent, month, month_spent, total_spent, named
    from key_spend where id = ${id}
  `);
  return row === undefined ? undefined : spendOf(row);
}

/** Returns the spend of a row. */
export function spendOf(row: SpendRow): KeySpend {
  const { held, day, day_spent, month, month_spent, total_spent } = row;
  const spent = { daySpent: day_spent, monthSpent: month_spent, totalSpent: total_spent };
  return { keyId: idOf(row), held, day, month, ...spent, ...namedOf(row.named) };
}

/** Returns the open holds of all instances, oldest first. */
export async function readHolds(sql: Sql): Promise<readonly Hold[]> {
  const rows = await query(sql<{ data: string }[]>`select data from hold order by number`);
  return rows.map(({ data }) => decodeHold(data));
}

/** Returns a page of the entries of a wallet that move money, newest first. */
export async function readStatement(
  sql: Sql,
  walletId: string,
  { limit, cursor, sinceMs = -Infinity, untilMs = Infinity, kind }: JournalQuery,
): Promise<JournalPage> {
  const before = cursor === undefined ? undefined : numberOf(cursor);
  if (cursor !== undefined && before === undefined) return { entries: [] };
  const rows = await query(sql<{ place: bigint; line: string }[]>`
    select place, line from journal
    where wallet = ${textId(walletId)} and op <> 'progress'
      and place < ${before ?? Number.MAX_SAFE_INTEGER}
      and at_ms between ${boundOf(sinceMs)} and ${boundOf(untilMs)}
      ${kind === undefined ? sql`` : sql`and op = ${kind}`}
    order by place desc limit ${limit + 1}
  `);
  const page = rows.slice(0, limit);
  const entries = page.map(({ line }) => decodeEntry(line));
  const last = page.at(-1);
  return rows.length > limit && last !== undefined
    ? { entries, cursor: cursorAt([Number(last.place)]) }
    : { entries };
}

/** Returns a time as a 64-bit integer. */
export function boundOf(ms: number): number {
  const max = Number.MAX_SAFE_INTEGER;
  return Math.floor(Math.min(max, Math.max(-max, ms)));
}
