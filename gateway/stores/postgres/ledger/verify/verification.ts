/**
 * Proves that the ledger in PostgreSQL is right by recomputing it from the journal.
 *
 * @module
 */

import type { JournalEntry } from "../../../../domain/ledger/ledger.ts";
import { emptyBooks, type ReplayedBooks, replayEntry } from "../../../../domain/ledger/replay.ts";
import type { VerificationStep } from "../../../../ports/ledger_store.ts";
import { StoreError } from "../../../../ports/store_error.ts";
import { decodeEntry } from "../../../kv/journal/journal_codec.ts";
import { Problems } from "../../../kv/journal/problems.ts";
import { SeenIds } from "../../../kv/journal/seen_ids.ts";
import { TimeSlices } from "../../../kv/time_slices.ts";
import { type Connection, query, type Sql } from "../../connection.ts";
import { openSnapshot } from "../../snapshot.ts";
import { textId } from "../../text_id.ts";
import { ChainCheck, type HeadRow } from "./chain_check.ts";
import { batchRows, type EntryRow, EntryRows } from "./journal_rows.ts";
import { RepeatsCheck } from "./repeats_check.ts";
import { compareBookRows } from "./rows_check.ts";

const RESTORE = "compare it with an earlier export and restore the store from a backup";
/** Entries between two steps. */
const STEP_ENTRIES = 1_000;

/**
 * Checks the chain of batches, replays every entry, and compares the result with the rows of
 * wallets, keys, open holds, ended holds and credits, all as of one moment, while every instance
 * goes on. A consumer that stops iterating ends the work.
 */
export async function* verification(pool: Sql): AsyncGenerator<VerificationStep, void> {
  const { sql, release } = await openSnapshot(pool);
  try {
    yield* verifyBooks(sql);
  } finally {
    await release();
  }
}

async function* verifyBooks(sql: Connection): AsyncGenerator<VerificationStep, void> {
  const problems = new Problems();
  const head = await readHead(sql);
  const total = Number(head.entries);
  let entries = 0;
  let place = 0n;
  const books = emptyBooks({
    push: (sentence) => problems.push(`${sentence}, says journal entry ${place}: ${RESTORE}`),
  }, () => new SeenIds());
  const repeats = await RepeatsCheck.begin(sql, problems);
  const slices = new TimeSlices();
  for await (const rows of checkedRows(sql, head, problems)) {
    for (const row of rows) {
      await slices.yieldWhenDue();
      place = row.place;
      replayRow(row, books, repeats);
    }
    await repeats.compare();
    entries += rows.length;
    yield { entries, total };
  }
  await compareBookRows(sql, books, problems);
  await repeats.finish();
  await checkLogged(sql, head, problems);
  const result = {
    ...{ entries, segments: Number(head.batch), head: head.hash },
    ...{ wallets: books.wallets.size, keys: books.spends.size, openHolds: books.holds.size },
    ...{ problems: problems.first, moreProblems: problems.more },
  };
  yield { entries, total, result };
}

async function readHead(sql: Connection): Promise<HeadRow> {
  const [head] = await query(sql<HeadRow[]>`
    select batch, entries, at_ms, hash, logged from ledger_head
  `);
  if (head === undefined) throw new StoreError("The ledger has no head", { isDamage: true });
  return head;
}

/** Yields all entries in lists, after the check of their chain. */
async function* checkedRows(
  sql: Connection,
  head: HeadRow,
  problems: Problems,
): AsyncGenerator<readonly EntryRow[], void> {
  const chain = new ChainCheck(problems);
  const entries = new EntryRows(sql);
  let checked: EntryRow[] = [];
  for await (const batches of batchRows(sql)) {
    for (const batch of batches) {
      chain.begin(batch);
      const end = batch.first_place + batch.entries;
      for (
        let rows = await entries.before(end);
        rows.length > 0;
        rows = await entries.before(end)
      ) {
        chain.take(rows);
        checked.push(...rows);
      }
      chain.end(batch);
      if (checked.length < STEP_ENTRIES) continue;
      yield checked;
      checked = [];
    }
  }
  yield checked;
  for (let rows = await entries.before(undefined); rows.length > 0;) {
    chain.takeStray(rows);
    yield rows;
    rows = await entries.before(undefined);
  }
  chain.finish(head);
}

function replayRow(row: EntryRow, books: ReplayedBooks, repeats: RepeatsCheck): void {
  const { place, line } = row;
  try {
    const entry = decodeEntry(line);
    const difference = differenceOf(row, entry);
    if (difference !== undefined) {
      books.problems.push(`Column ${difference} does not match the line`);
    }
    const hold = "id" in entry ? books.holds.get(entry.id) : undefined;
    replayEntry(books, entry);
    const isEnded = hold !== undefined && !books.holds.has(hold.id);
    repeats.take(entry, { place, hold: isEnded ? hold : undefined });
  } catch (error) {
    books.problems.push(`The line is not a journal entry (${error})`);
  }
}

/** Returns the column of a row that disagrees with its line: statements select by them. */
function differenceOf(row: EntryRow, entry: JournalEntry): string | undefined {
  const logId = "log" in entry ? textId(entry.log) : null;
  if (row.wallet !== textId(entry.wallet)) return "wallet";
  if (row.op !== entry.op) return "op";
  if (Number(row.at_ms) !== entry.at) return "at_ms";
  return row.log_id === logId ? undefined : "log_id";
}

/** The next row of the request log would take the number of another. */
async function checkLogged(
  sql: Connection,
  { logged }: HeadRow,
  problems: Problems,
): Promise<void> {
  const [row] = await query(sql<{ last: bigint | null }[]>`
    select max(number) as last from request_log
  `);
  const last = row?.last ?? 0n;
  if (last <= logged) return;
  problems.push(
    `The request log has rows up to ${last}, the ledger's head says ${logged}: ` +
      "restore the store from a backup",
  );
}
