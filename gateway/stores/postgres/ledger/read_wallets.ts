/**
 * Pages of wallets, in the order of their ids.
 *
 * @module
 */

import type { Wallet } from "../../../domain/ledger/ledger.ts";
import type { WalletPage, WalletQuery } from "../../../ports/ledger_store.ts";
import { cursorAt, placeOf } from "../../kv/row_cursor.ts";
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";
import { walletOf, type WalletRow } from "./wallet_row.ts";

/** Wallets that are read at once. */
const ROWS_READ = 500;
/** Maximum wallets that one page reads to find those that belong on it. */
const PAGE_READ_MAX = 5_000;

/** Returns a page of the wallets. The work is bounded; a malformed cursor reads as the end. */
export async function readWallets(sql: Sql, search: WalletQuery): Promise<WalletPage> {
  const { limit, cursor, keep, descending = false, from } = search;
  const start = cursor === undefined ? from && textId(from) : startOf(cursor);
  if (start === null) return { wallets: [] };
  const kept: Wallet[] = [];
  let next = start;
  for (let read = 0; read < PAGE_READ_MAX;) {
    const count = keep === undefined ? limit + 1 : ROWS_READ;
    const rows = await readFrom(sql, { from: next, descending, count: count + 1 });
    const wallets = rows.slice(0, count).map(walletOf);
    kept.push(...await keep?.(wallets) ?? wallets);
    read += wallets.length;
    next = rows[count]?.id;
    const beyond = kept[limit];
    if (beyond !== undefined) {
      return { wallets: kept.slice(0, limit), cursor: cursorAt([textId(beyond.id)]) };
    }
    if (next === undefined) return { wallets: kept };
  }
  return { wallets: kept, cursor: next === undefined ? undefined : cursorAt([next]) };
}

/** Yields every wallet. */
export async function* eachWallet(sql: Sql): AsyncGenerator<Wallet> {
  for (let from: string | undefined = "";;) {
    const rows: readonly WalletRow[] = await readFrom(sql, { from, count: ROWS_READ + 1 });
    for (const row of rows.slice(0, ROWS_READ)) yield walletOf(row);
    from = rows[ROWS_READ]?.id;
    if (from === undefined) return;
  }
}

async function readFrom(
  sql: Sql,
  { from, descending = false, count }: {
    readonly from: string | undefined;
    readonly descending?: boolean;
    readonly count: number;
  },
): Promise<readonly WalletRow[]> {
  return await query(
    descending
      ? sql<WalletRow[]>`
        select id, original, tier, credits, available, held, spent, written_off, created_at_ms,
          closed_at_ms
        from wallet where ${from ?? null}::text is null or id <= ${from ?? ""}
        order by id desc limit ${count}`
      : sql<WalletRow[]>`
        select id, original, tier, credits, available, held, spent, written_off, created_at_ms,
          closed_at_ms
        from wallet where id >= ${from ?? ""}
        order by id limit ${count}`,
  );
}

/** Returns the stored id that a cursor names; `null` for a malformed one. */
function startOf(cursor: string): string | null {
  const [id, ...rest] = placeOf(cursor) ?? [];
  return typeof id === "string" && rest.length === 0 && !id.includes("\0") ? id : null;
}
