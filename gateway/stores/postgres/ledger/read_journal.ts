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
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";

/** Entries that are read at once. */
const ENTRIES_READ = 1_000;
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
  for (let after = 0n;;) {
    const rows = await query(sql<EntryRow[]>`
      select place, batch, line from journal
      where place > ${after} and place <= ${last} ${wallet}
      order by place limit ${ENTRIES_READ}
    `);
    const end = rows.at(-1);
    if (end === undefined) return;
    after = end.place;
    yield rows.map(placed).filter(({ entry: { at } }) => at >= sinceMs && at <= untilMs);
  }
}

function placed({ place, batch, line }: EntryRow): PlacedEntry {
  return { place: Number(place), segment: Number(batch), entry: decodeEntry(line) };
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
