import type { Wallet } from "../../../domain/ledger/ledger.ts";
import type { WalletPage, WalletQuery } from "../../../ports/ledger_store.ts";
import { eachRow } from "../each_row.ts";
import { LIST_PLACES_READ, ROWS_READ_AHEAD } from "../limits.ts";
import { cursorAt, placeOf } from "../row_cursor.ts";
import { keyPart } from "../rows.ts";
import type { Books } from "./books.ts";

const PREFIX = "wallet";

/**
 * Reads a page of wallets. The work is bounded: a search may end with few wallets, or none, and a
 * cursor. A malformed cursor reads as the end.
 */
export async function readWallets(
  kv: Deno.Kv,
  books: Books,
  query: WalletQuery,
): Promise<WalletPage> {
  const { limit, keep, descending: reverse = false } = query;
  const range = rangeOf(query);
  if (range === undefined) return { wallets: [] };
  // One row more than may be read: a cursor names the first row of the next page.
  const readMax = keep === undefined ? limit : LIST_PLACES_READ;
  const kept: Wallet[] = [];
  let some: Wallet[] = [];
  let seen = 0;
  for await (const { value } of eachRow<Wallet>(kv, range, { reverse, limit: readMax + 1 })) {
    const wallet = books.wallets.known(value.id) ?? value;
    const isBeyond = ++seen > readMax;
    if (isBeyond || some.length === ROWS_READ_AHEAD) {
      kept.push(...await keep?.(some) ?? some);
      some = [];
      const next = kept[limit] ?? (isBeyond ? wallet : undefined);
      if (next !== undefined) return { wallets: kept.slice(0, limit), cursor: cursorOf(next) };
    }
    some.push(wallet);
  }
  kept.push(...await keep?.(some) ?? some);
  const next = kept[limit];
  return {
    wallets: kept.slice(0, limit),
    cursor: next === undefined ? undefined : cursorOf(next),
  };
}

function cursorOf({ id }: Wallet): string {
  return cursorAt([keyPart(id)]);
}

function rangeOf({ cursor, descending, from }: WalletQuery): Deno.KvListSelector | undefined {
  const prefix = [PREFIX];
  const [at = from, ...rest] = cursor === undefined ? [] : placeOf(cursor) ?? [0];
  if (typeof at === "number" || rest.length > 0) return undefined;
  if (at === undefined) return { prefix };
  return descending ? { prefix, end: [PREFIX, `${at}\0`] } : { prefix, start: [PREFIX, at] };
}

/** Yields every wallet. Those that are opened meanwhile may be left out. */
export async function* eachWallet(kv: Deno.Kv, books: Books): AsyncGenerator<Wallet> {
  for await (const { value } of eachRow<Wallet>(kv, { prefix: [PREFIX] })) {
    yield books.wallets.known(value.id) ?? value;
  }
}
