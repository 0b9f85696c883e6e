/**
 * Reads of the whole journal, and of the entries of one request.
 *
 * @module
 */

import type { JournalEntry } from "../../../domain/ledger/ledger.ts";
import type {
  JournalRange,
  JournalReading,
  PlacedEntry,
  RequestEntriesQuery,
} from "../../../ports/ledger_store.ts";
import { decodeEntry } from "../../kv/journal/journal_codec.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";
import { boundOf } from "./read.ts";

/** Places of the journal that are read at once, so that no statement reads all of it. */
const PLACES_READ = 1_000n;
const MAX_PLACE = 2n ** 63n - 1n;
/** Maximum entries of one request. */
const REQUEST_ENTRIES_MAX = 10_000;

interface EntryRow {
  readonly place: bigint;
  readonly batch: bigint;
  readonly line: string;
}

/** Returns the journal up to its present end; a batch is a link in the chain of hashes. */
export async function readJournal(sql: Sql, range: JournalRange): Promise<JournalReading> {
  const [head] = await query(sql<{ batch: bigint; entries: bigint; hash: string }[]>`
    select batch, entries, hash from ledger_head
  `);
  const { batch = 0n, entries: total = 0n, hash = "" } = head ?? {};
  return {
    total: Number(total),
    segments: Number(batch),
    head: hash,
    entries: () => entriesUpTo(sql, total, range),
  };
}

async function* entriesUpTo(
  sql: Sql,
  last: bigint,
  { sinceMs = -Infinity, untilMs = Infinity, walletId }: JournalRange,
): AsyncGenerator<readonly PlacedEntry[], void> {
  const wallet = walletId === undefined ? sql`` : sql`and wallet = ${textId(walletId)}`;
  for (let after = await placeBefore(sql, sinceMs); after < last;) {
    const end = after + PLACES_READ < last ? after + PLACES_READ : last;
    const rows = await query(sql<EntryRow[]>`
      select place, batch, line from journal
      where place > ${after} and place <= ${end} ${wallet} order by place
    `);
    after = end;
    yield rows.map(placed).filter(({ entry: { at } }) => at >= sinceMs && at <= untilMs);
  }
}

/** Returns a place behind which all entries are that have this time or a later one. */
async function placeBefore(sql: Sql, sinceMs: number): Promise<bigint> {
  const [row] = await query(sql<{ first_place: bigint }[]>`
    select first_place from journal_batch where at_ms >= ${boundOf(sinceMs)}
    order by at_ms, batch limit 1
  `);
  return row === undefined ? MAX_PLACE : row.first_place - 1n;
}

function placed({ place, batch, line }: EntryRow): PlacedEntry {
  try {
    return { place: Number(place), segment: Number(batch), entry: decodeEntry(line) };
  } catch (cause) {
    const message = `Cannot read journal entry ${place}: it is damaged`;
    throw new StoreError(message, { cause, isDamage: true });
  }
}

/** Returns the entries of one request, oldest first. */
export async function readRequestEntries(
  sql: Sql,
  { logId, holdIds }: RequestEntriesQuery,
): Promise<{ readonly entries: readonly JournalEntry[]; readonly isComplete: boolean }> {
  const rows = await query(sql<EntryRow[]>`
    select place, batch, line from journal where log_id = ${textId(logId)}
    order by place limit ${REQUEST_ENTRIES_MAX}
  `);
  const entries = rows.map(({ line }) => decodeEntry(line));
  const ended = new Set(
    entries.flatMap((entry) =>
      ["settle", "void", "expire"].includes(entry.op) && "id" in entry ? [entry.id] : []
    ),
  );
  return { entries, isComplete: holdIds.every((id) => ended.has(id)) };
}
