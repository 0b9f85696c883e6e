/**
 * Loads the state at start: the open holds of the former run and what they change.
 *
 * @module
 */

import type { Hold, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import { assertWallet } from "../../../domain/ledger/state.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { Books, type LedgerRows, type RowCounts, rowsOf } from "./books.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { decodeEntry } from "./journal_codec.ts";
import { MAX_TAKEOVER_TRIES } from "../limits.ts";
import { type MigrateOptions, newestSchema, requireKnownSchema } from "../migrate.ts";
import { followHold } from "./open_holds.ts";
import { killedRowOf } from "../log/log_line.ts";
import { eachRow } from "../each_row.ts";
import { read } from "../read.ts";
import { type Checkpoint, COUNTS_KEY, type Head, HEAD_KEY, keyPart, KILLED_ROWS } from "../rows.ts";
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
 * Loads the open holds of the former run, checked against the journal since the last list of them,
 * and the wallets and spends that they change. Other wallets and spends are read when they are used.
 */
export async function loadBooks(
  kv: Deno.Kv,
  head: Head,
): Promise<{ books: Books; checkpoint: Checkpoint }> {
  const { checkpoint, holds } = await readCheckpoint(kv);
  await replayHolds(kv, { holds, checkpoint, head });
  const held = heldByWallet(holds);
  const { value: counts } = await kv.get<RowCounts>(COUNTS_KEY);
  const books = new Books(ledgerRows(kv, held), counts ?? undefined);
  for await (const { value } of kv.list<Uint8Array>({ prefix: KILLED_ROWS })) {
    books.killedRows.add(killedRowOf(value).id);
  }
  await Promise.all(Array.from(holds.values(), (hold) => books.pin(rowsOf(hold))));
  for (const hold of holds.values()) {
    books.open(hold);
    books.unpin(rowsOf(hold));
  }
  held.clear();
  return { books, checkpoint };
}

/**
 * Reads wallets and spends. `held` has what the open holds of a wallet come to while they are
 * loaded; a wallet that is read later has none.
 */
function ledgerRows(kv: Deno.Kv, held: ReadonlyMap<string, bigint>): LedgerRows {
  return {
    async wallet(id) {
      const { value } = await read(kv.get<Wallet>(["wallet", keyPart(id)]));
      if (value === null) return undefined;
      requireSound(value, held.get(id) ?? 0n);
      return value;
    },
    async spend(keyId) {
      return (await read(kv.get<KeySpend>(["spend", keyPart(keyId)]))).value ?? undefined;
    },
  };
}

/**
 * Checks every wallet's row against the open holds. Returns the number of wallets.
 *
 * @throws {StoreError} When a wallet does not add up, or holds another amount than its open holds.
 */
export async function checkWallets(
  kv: Deno.Kv,
  holds: ReadonlyMap<string, Hold>,
): Promise<number> {
  const held = heldByWallet(holds);
  let count = 0;
  for await (const { value } of eachRow<Wallet>(kv, { prefix: ["wallet"] })) {
    requireSound(value, held.get(value.id) ?? 0n);
    count++;
  }
  return count;
}

/** Returns what the open holds of each wallet come to. */
function heldByWallet(holds: ReadonlyMap<string, Hold>): Map<string, bigint> {
  const held = new Map<string, bigint>();
  for (const { walletId, amount } of holds.values()) {
    held.set(walletId, (held.get(walletId) ?? 0n) + amount);
  }
  return held;
}

async function replayHolds(
  kv: Deno.Kv,
  from: { holds: Map<string, Hold>; checkpoint: Checkpoint; head: Head },
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
    for (const line of segment.lines) followHold(from.holds, decodeEntry(line));
    previous = segment.hash();
    expected++;
  }
  if (expected !== to + 1 || (previous !== undefined && previous !== hash)) {
    throw new StoreError(`Cannot open the store: the journal does not end at segment ${to}`);
  }
}

/** Throws unless a wallet adds up, and holds what its open holds come to. */
function requireSound(wallet: Wallet, open: bigint): void {
  const { id, held } = wallet;
  try {
    assertWallet(wallet);
  } catch (cause) {
    throw new StoreError(`Cannot read the store: wallet "${id}" is damaged`, {
      cause,
      isDamage: true,
    });
  }
  if (held === open) return;
  throw new StoreError(
    `Cannot read the store: wallet "${id}" holds ${held} micro-credits, its open holds come to ` +
      `${open}`,
    { isDamage: true },
  );
}
