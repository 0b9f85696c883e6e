import type { Wallet } from "../../../domain/ledger/ledger.ts";
import type { WalletPage, WalletQuery } from "../../../ports/ledger_store.ts";
import { eachRow } from "../each_row.ts";
import { ROWS_READ_AHEAD } from "../limits.ts";
import { cursorAt, placeOf } from "../row_cursor.ts";
import { read } from "../read.ts";
import type { Books } from "./books.ts";

const PREFIX = "wallet";

/** Reads a page of wallets. A malformed cursor reads as the end. */
export async function readWallets(
  kv: Deno.Kv,
  books: Books,
  { limit, cursor, descending = false, from }: WalletQuery,
): Promise<WalletPage> {
  const place = cursor === undefined ? undefined : placeOf(cursor);
  if (cursor !== undefined && place === undefined) return { wallets: [] };
  const [at] = place ?? [from];
  // A cursor names the first row of the next page.
  const selector = at === undefined
    ? { prefix: [PREFIX] }
    : descending
    ? { prefix: [PREFIX], end: [PREFIX, `${at}\0`] }
    : { prefix: [PREFIX], start: [PREFIX, at] };
  const options = { limit: limit + 1, reverse: descending, batchSize: batchOf(limit + 1) };
  const rows = await read(Array.fromAsync(kv.list<Wallet>(selector, options)));
  const next = rows.at(limit)?.key[1];
  return {
    wallets: rows.slice(0, limit).map(({ value }) => books.wallets.known(value.id) ?? value),
    cursor: next === undefined ? undefined : cursorAt([String(next)]),
  };
}

/** Yields every wallet. Those that are opened meanwhile may be left out. */
export async function* eachWallet(kv: Deno.Kv, books: Books): AsyncGenerator<Wallet> {
  for await (const { value } of eachRow<Wallet>(kv, { prefix: [PREFIX] })) {
    yield books.wallets.known(value.id) ?? value;
  }
}

function batchOf(rows: number): number {
  return Math.min(rows, ROWS_READ_AHEAD);
}
