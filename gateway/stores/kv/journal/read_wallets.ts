import type { Wallet } from "../../../domain/ledger/ledger.ts";
import type { WalletPage, WalletQuery } from "../../../ports/ledger_store.ts";
import { LIST_PLACES_READ, ROWS_READ_AHEAD, WALLETS_READ_AT_ONCE } from "../limits.ts";
import { read } from "../read.ts";
import { cursorAt, placeOf } from "../row_cursor.ts";
import { keyPart } from "../rows.ts";
import { TimeSlices } from "../time_slices.ts";
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
  for await (const wallet of walletsIn(kv, books, range, { reverse, limit: readMax + 1 })) {
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
export function eachWallet(kv: Deno.Kv, books: Books): AsyncGenerator<Wallet> {
  return walletsIn(kv, books, { prefix: [PREFIX] }, { limit: Infinity });
}

/**
 * Yields the wallets of a range. Each row is compared with memory in the turn in which it was read:
 * it may be older than the wallet until the next fold, and only until then the wallet stays in memory.
 */
async function* walletsIn(
  kv: Deno.Kv,
  books: Books,
  range: Deno.KvListSelector,
  { reverse = false, limit }: { readonly reverse?: boolean; readonly limit: number },
): AsyncGenerator<Wallet, void> {
  const slices = new TimeSlices();
  let rest = limit;
  let after: { readonly cursor?: string } = {};
  do {
    const batchSize = Math.min(WALLETS_READ_AT_ONCE, rest);
    const rows = kv.list<Wallet>(range, { reverse, limit: batchSize, batchSize, ...after });
    const wallets = await read(
      Array.fromAsync(rows, ({ value }) => books.wallets.known(value.id) ?? value),
    );
    rest = wallets.length < batchSize ? 0 : rest - wallets.length;
    if (rest > 0) after = { cursor: rows.cursor };
    for (const wallet of wallets) {
      yield wallet;
      await slices.yieldWhenDue();
    }
  } while (rest > 0);
}
