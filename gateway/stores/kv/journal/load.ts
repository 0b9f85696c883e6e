/**
 * Loads the state at start: the rows of wallets and keys, and the open holds of the former run.
 *
 * @module
 */

import type { KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import { assertWallet } from "../../../domain/ledger/state.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { Books } from "./books.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { decodeEntry } from "./journal_codec.ts";
import { Chain, readSegments } from "../chain.ts";
import type { DurableEnd, DurableHead } from "../commits/attempt.ts";
import { replayCommits } from "../commits/replay_commits.ts";
import { readCommits } from "../commits/read_commits.ts";
import { MAX_TAKEOVER_TRIES } from "../limits.ts";
import { type MigrateOptions, newestSchema, requireKnownSchema } from "../migrate.ts";
import { followHold } from "./open_holds.ts";
import { killedRowOf } from "../log/log_line.ts";
import { type Checkpoint, type Head, HEAD_KEY, KILLED_ROWS } from "../rows.ts";
import { EMPTY_TAIL } from "../segment.ts";

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
    const result = await kv.atomic().check({ key: HEAD_KEY, versionstamp }).set(HEAD_KEY, value)
      .commit();
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
 * Loads the ledger from the rows and the commits since the last fold, checked against the journal
 * since the last list of open holds.
 */
export async function loadBooks(kv: Deno.Kv, head: DurableHead): Promise<LoadedBooks> {
  const books = new Books();
  for await (const { value } of kv.list<Wallet>({ prefix: ["wallet"] })) {
    assertWallet(value);
    books.wallets.set(value.id, value);
  }
  for await (const { value } of kv.list<KeySpend>({ prefix: ["spend"] })) {
    books.spends.set(value.keyId, value);
  }
  for await (const { value } of kv.list<Uint8Array>({ prefix: KILLED_ROWS })) {
    books.killedRows.add(killedRowOf(value).id);
  }
  const { checkpoint, holds } = await readCheckpoint(kv);
  for (const [id, hold] of holds) books.holds.set(id, hold);
  await replayHolds(kv, { books, checkpoint, head: head.value });
  const stored = await readCommits(kv, head.value);
  const { slots } = stored;
  const open = replayCommits(stored.open, books);
  const last = open.rows.at(-1);
  const versionstamp = (last && slots.get(last.slot)) ?? head.versionstamp;
  checkHeld(books);
  return { books, checkpoint, end: { head, open, slots, versionstamp } };
}

async function replayHolds(
  kv: Deno.Kv,
  from: { books: Books; checkpoint: Checkpoint; head: Head },
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
    for (const line of segment.lines) followHold(from.books.holds, decodeEntry(line));
    previous = segment.hash();
    expected++;
  }
  if (expected !== to + 1 || (previous !== undefined && previous !== hash)) {
    throw new StoreError(`Cannot open the store: the journal does not end at segment ${to}`);
  }
}

function checkHeld(books: Books): void {
  const heldByWallet = new Map<string, bigint>();
  for (const hold of books.holds.values()) {
    heldByWallet.set(hold.walletId, (heldByWallet.get(hold.walletId) ?? 0n) + hold.amount);
  }
  for (const wallet of books.wallets.values()) {
    const open = heldByWallet.get(wallet.id) ?? 0n;
    if (wallet.held === open) continue;
    throw new StoreError(
      `Cannot open the store: wallet "${wallet.id}" holds ${wallet.held} micro-credits, ` +
        `its open holds come to ${open}`,
    );
  }
}
