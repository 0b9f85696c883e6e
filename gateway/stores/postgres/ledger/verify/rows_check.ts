/**
 * Compares the rows of wallets, of spends, of open holds and of moved keys with what the journal comes
 * to.
 *
 * @module
 */

import type { Hold } from "../../../../domain/ledger/ledger.ts";
import type { ReplayedBooks } from "../../../../domain/ledger/replay.ts";
import { budgetOwner } from "../../../../domain/ledger/state.ts";
import type { StoredKey } from "../../../../ports/key_store.ts";
import { compareMovedKey } from "../../../kv/journal/moved_keys.ts";
import type { Problems } from "../../../kv/journal/problems.ts";
import {
  compareHolds,
  compareWithJournal,
  type RowKind,
  SPENDS,
  WALLETS,
} from "../../../kv/journal/rows_check.ts";
import { TimeSlices } from "../../../kv/time_slices.ts";
import { type Connection, query } from "../../connection.ts";
import { idOf, textId } from "../../text_id.ts";
import { spendOf, type SpendRow } from "../read.ts";
import { decodeHold } from "../rows.ts";
import { walletOf, type WalletRow } from "../wallet_row.ts";

const RESTORE = "restore the store from a backup";
/** Rows that are read at once. */
const ROWS_READ = 1_000;

interface HoldRow {
  readonly id: string;
  readonly wallet: string;
  readonly budget: string;
  readonly data: string;
}

interface KeyRow {
  readonly id: string;
  readonly wallet_id: string;
  readonly data: string;
}

/** Compares all of them. */
export async function compareBookRows(
  sql: Connection,
  { wallets, spends, holds, moved }: ReplayedBooks,
  problems: Problems,
): Promise<void> {
  await compareKind<WalletRow>(
    WALLETS,
    { replayed: wallets, valueOf: walletOf, problems },
    (after) =>
      query(sql<WalletRow[]>`
      select id, original, tier, credits, available, held, spent, written_off, created_at_ms,
          closed_at_ms
      from wallet where ${after}::text is null or id > ${after}
      order by id limit ${ROWS_READ}
    `),
  );
  await compareKind<SpendRow>(
    SPENDS,
    { replayed: spends, valueOf: spendOf, problems },
    (after) =>
      query(sql<SpendRow[]>`
      select id, original, held, day, day_spent, month, month_spent, total_spent, named
      from key_spend where ${after}::text is null or id > ${after}
      order by id limit ${ROWS_READ}
    `),
  );
  await compareHolds(await readHolds(sql, problems), holds, problems);
  await compareMovedKeys(sql, moved, problems);
}

/** Compares the column by which keys are listed, and the record by which they are charged. */
async function compareMovedKeys(
  sql: Connection,
  moved: ReadonlyMap<string, string>,
  problems: Problems,
): Promise<void> {
  const all = [...moved];
  for (let at = 0; at < all.length; at += ROWS_READ) {
    const some = all.slice(at, at + ROWS_READ);
    const ids = some.map(([id]) => textId(id));
    const rows = await query(sql<KeyRow[]>`
      select id, wallet_id, data from api_key where id = any(${ids})
    `);
    const walletsOf = new Map(rows.map((row) => [row.id, walletOfKey(row)]));
    for (const [keyId, journal] of some) {
      compareMovedKey({ keyId, journal, row: walletsOf.get(textId(keyId)) }, problems);
    }
  }
}

/** Returns the wallet of a key's row; `undefined` when its columns disagree. */
function walletOfKey({ wallet_id: wallet, data }: KeyRow): string | undefined {
  try {
    const { record: { walletId } }: StoredKey = JSON.parse(data);
    return textId(walletId) === wallet ? walletId : undefined;
  } catch {
    // Not the JSON of a key.
    return undefined;
  }
}

async function compareKind<Row extends { readonly id: string; readonly original: string | null }>(
  { what }: RowKind,
  { replayed, valueOf, problems }: {
    readonly replayed: ReadonlyMap<string, object>;
    readonly valueOf: (row: Row) => object;
    readonly problems: Problems;
  },
  read: (after: string | null) => Promise<readonly Row[]>,
): Promise<void> {
  const slices = new TimeSlices();
  const missing = new Set(replayed.keys());
  for (let rows = await read(null); rows.length > 0; rows = await read(rows.at(-1)?.id ?? null)) {
    for (const row of rows) {
      await slices.yieldWhenDue();
      const id = readable(row);
      if (id === undefined || textId(id) !== row.id) {
        problems.push(
          `The row of ${what.toLowerCase()} ${JSON.stringify(row.id)} has another id: ${RESTORE}`,
        );
        continue;
      }
      missing.delete(id);
      const known = valueOf(row);
      compareWithJournal({ what, id }, { known, replayed: replayed.get(id) }, problems);
    }
  }
  for (const id of missing) {
    problems.push(
      `The row of ${what.toLowerCase()} ${JSON.stringify(id)} is missing: ${RESTORE}`,
    );
  }
}

/** Returns the id of a row; `undefined` for an original that is no JSON. */
function readable(row: { readonly id: string; readonly original: string | null }) {
  try {
    return idOf(row);
  } catch {
    return undefined;
  }
}

/** Returns the open holds that have rows. */
async function readHolds(sql: Connection, problems: Problems): Promise<ReadonlyMap<string, Hold>> {
  const holds = new Map<string, Hold>();
  for (let after: string | null = null;;) {
    const rows: readonly HoldRow[] = await query(sql<HoldRow[]>`
      select id, wallet, budget, data from hold where ${after}::text is null or id > ${after}
      order by id limit ${ROWS_READ}
    `);
    for (const row of rows) {
      const hold = holdOf(row);
      if (hold !== undefined) holds.set(hold.id, hold);
      else {
        problems.push(`The row of hold ${JSON.stringify(row.id)} was changed: ${RESTORE}`);
      }
    }
    after = rows.at(-1)?.id ?? null;
    if (after === null) return holds;
  }
}

/** Returns the hold of a row; `undefined` when its columns disagree. */
function holdOf({ id, wallet, budget, data }: HoldRow): Hold | undefined {
  try {
    const hold = decodeHold(data);
    const isRight = textId(hold.id) === id && textId(hold.walletId) === wallet &&
      textId(budgetOwner(hold)) === budget;
    return isRight ? hold : undefined;
  } catch {
    // Not the JSON of a hold.
    return undefined;
  }
}
