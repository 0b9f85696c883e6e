/**
 * Loads the state at start: the open holds of the former run and what they change.
 *
 * @module
 */

import type { Hold } from "../../../domain/ledger/ledger.ts";
import type { TrailHead } from "../../../domain/operators/trail.ts";
import { sumOfRow } from "../../../domain/requests/request_sum.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { Books, type RowCounts, rowsOf } from "./books.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { decodeEntry } from "./journal_codec.ts";
import { Chain, readSegments } from "../chain.ts";
import type { DurableEnd, DurableHead } from "../commits/attempt.ts";
import { readCommits, type StoredCommit } from "../commits/read_commits.ts";
import { replayCommits, rowsOfCommits } from "../commits/replay_commits.ts";
import type { OpenCommits } from "../commits/open_commits.ts";
import { MAX_TAKEOVER_TRIES } from "../limits.ts";
import { type MigrateOptions, newestSchema, requireKnownSchema } from "../migrate.ts";
import { followHold } from "./open_holds.ts";
import { killedRowOf } from "../log/log_line.ts";
import { read } from "../read.ts";
import {
  type Checkpoint,
  COUNTS_KEY,
  type Head,
  HEAD_KEY,
  headRows,
  KILLED_ROWS,
  textOf,
  TRAIL_HEAD,
} from "../rows.ts";
import { EMPTY_TAIL } from "../segment.ts";
import { heldByWallet, ledgerRows, requireHolds } from "./ledger_rows.ts";

const NEW_HEAD = { commit: 0, slots: [], journal: EMPTY_TAIL, log: EMPTY_TAIL } as const;

/** Makes this process the store's writer: from then on every commit of a former writer fails. */
export async function takeOver(
  kv: Deno.Kv,
  session: string,
  options: Pick<MigrateOptions, "migrations" | "program"> = {},
): Promise<DurableHead> {
  const schema = newestSchema(options.migrations);
  const by = options.program === undefined ? {} : { writtenBy: options.program };
  for (let tries = 0; tries < MAX_TAKEOVER_TRIES; tries++) {
    const row = await kv.get<Head>(HEAD_KEY);
    if (row.value !== null) requireKnownSchema(row.value, options);
    const { commit, slots, journal, log } = row.value ?? NEW_HEAD;
    const value: Head = { schema, session, commit, slots, journal, log, ...by };
    const { versionstamp } = row;
    const atomic = kv.atomic().check({ key: HEAD_KEY, versionstamp });
    for (const row of headRows(value)) atomic.set(row.key, row.value);
    const result = await atomic.commit();
    if (result.ok) return { value, versionstamp: result.versionstamp };
  }
  throw new StoreError("Cannot open the store: another process keeps writing to it");
}

/** The ledger of a store and its durable end. */
export interface LoadedBooks {
  readonly books: Books;
  readonly checkpoint: Checkpoint;
  readonly end: DurableEnd;
}

/**
 * Loads the ledger as it was after the last commit: the open holds of the former run, checked against
 * the journal since the last list of them, the commits since the last fold, and the wallets and spends
 * that these and those change. Others are read when they are used.
 */
export async function loadBooks(
  kv: Deno.Kv,
  head: DurableHead,
  { idleRows }: { readonly idleRows?: number | undefined } = {},
): Promise<LoadedBooks> {
  const { checkpoint, holds } = await readCheckpoint(kv);
  await replayHolds(kv, { holds, checkpoint, head: head.value });
  const { open: commits, slots } = await readCommits(kv, head.value);
  // Rows are as the last fold left them, and so are these holds.
  const held = heldByWallet(holds);
  const { value: counts } = await read(kv.get<RowCounts>(COUNTS_KEY));
  const books = new Books(ledgerRows(kv, held), {
    ...{ counts: counts ?? undefined, trail: await readTrailHead(kv), idleRows },
  });
  for await (const { value } of kv.list<Uint8Array>({ prefix: KILLED_ROWS })) {
    const row = killedRowOf(value);
    books.killedRows.set(row.id, sumOfRow(row));
  }
  const touched = [...Array.from(holds.values(), rowsOf), ...rowsOfCommits(commits)];
  await Promise.all(touched.map((rows) => books.pin(rows)));
  const open = replayOpen(books, commits, holds);
  for (const rows of touched) books.unpin(rows);
  held.clear();
  const last = open.rows.at(-1);
  const lastRow = last === undefined ? undefined : slots.get(last.slot);
  // A start replaces the head after the last commit.
  const versionstamp = lastRow !== undefined && lastRow > head.versionstamp
    ? lastRow
    : head.versionstamp;
  return { books, checkpoint, end: { head, open, slots, versionstamp } };
}

/** Returns the end of the audit log; `undefined` before its first entry. */
async function readTrailHead(kv: Deno.Kv): Promise<TrailHead | undefined> {
  const { value } = await read(kv.get<Uint8Array>(TRAIL_HEAD));
  return value === null ? undefined : JSON.parse(textOf(value)) as TrailHead;
}

/** Brings loaded wallets and spends, and the open holds, from the last fold to the last commit. */
function replayOpen(
  books: Books,
  commits: readonly StoredCommit[],
  holds: Map<string, Hold>,
): OpenCommits {
  const wallets = new Map(books.wallets.inMemory());
  const spends = new Map(books.spends.inMemory());
  const open = replayCommits(commits, { wallets, spends, holds });
  requireHolds(wallets, holds);
  for (const [id, wallet] of wallets) books.wallets.set(id, wallet);
  for (const [id, spend] of spends) books.spends.set(id, spend);
  books.keep(open.changed);
  for (const hold of holds.values()) books.open(hold);
  return open;
}

async function replayHolds(
  kv: Deno.Kv,
  from: { holds: Map<string, Hold>; checkpoint: Checkpoint; head: Head },
): Promise<void> {
  const { segment: to, hash } = from.head.journal;
  const chain = new Chain("journal", from.head.journal);
  let expected = from.checkpoint.segment + 1;
  let previous: string | undefined = expected === 1 ? "" : undefined;
  for await (const segment of readSegments(kv, chain, { from: expected })) {
    const { header } = segment;
    const follows = previous === undefined || header.hash === previous;
    if (header.segment !== expected || !follows) {
      throw new StoreError(
        `Cannot open the store: journal segment ${expected} is missing or changed`,
      );
    }
    for (const line of segment.lines) followHold(from.holds, decodeEntry(line));
    previous = segment.hash();
    expected++;
  }
  if (expected !== to + 1 || (previous !== undefined && previous !== hash)) {
    throw new StoreError(`Cannot open the store: the journal does not end at segment ${to}`);
  }
}
