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
import { MAX_TAKEOVER_TRIES } from "../limits.ts";
import { type MigrateOptions, newestSchema, requireKnownSchema } from "../migrate.ts";
import { followHold } from "./open_holds.ts";
import { killedRowOf } from "../log/log_line.ts";
import { type Checkpoint, type Head, HEAD_KEY, KILLED_ROWS } from "../rows.ts";
import { EMPTY_TAIL, readSegments } from "../segment.ts";
import type { DurableHead } from "./writer.ts";

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
    const { journal, log } = row.value ?? { journal: EMPTY_TAIL, log: EMPTY_TAIL };
    const value: Head = { schema, session, commit: 0, journal, log, ...by };
    const { versionstamp } = row;
    const result = await kv.atomic().check({ key: HEAD_KEY, versionstamp }).set(HEAD_KEY, value)
      .commit();
    if (result.ok) return { value, versionstamp: result.versionstamp };
  }
  throw new StoreError("Cannot open the store: another process keeps writing to it");
}

/**
 * Loads the ledger from the rows, checked against the journal since the last list of open holds.
 */
export async function loadBooks(
  kv: Deno.Kv,
  head: Head,
): Promise<{ books: Books; checkpoint: Checkpoint }> {
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
  await replayHolds(kv, { books, checkpoint, head });
  checkHeld(books);
  return { books, checkpoint };
}

async function replayHolds(
  kv: Deno.Kv,
  from: { books: Books; checkpoint: Checkpoint; head: Head },
): Promise<void> {
  const { segment: to, hash } = from.head.journal;
  let expected = from.checkpoint.segment + 1;
  let previous: string | undefined = expected === 1 ? "" : undefined;
  for await (const segment of readSegments(kv, "journal", { from: expected, to })) {
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
