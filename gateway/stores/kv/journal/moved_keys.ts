/**
 * Compares the wallets of keys that were moved with the journal. A key that was never moved has no
 * entry, and its wallet is in its row alone.
 *
 * @module
 */

import type { ProblemList } from "../../../domain/ledger/replay.ts";
import { decodeKey } from "../keys/key_rows.ts";
import { read } from "../read.ts";
import { keyPart } from "../rows.ts";
import type { AtMoment } from "./rows_check.ts";

const RESTORE = "restore the store from a backup";

/** The wallet of a moved key; `undefined` where the key has no row, or none that can be read. */
export interface MovedKey {
  readonly keyId: string;
  readonly row: string | undefined;
  /** Wallet of its last move. */
  readonly journal: string;
}

/** Adds a problem for a key that is on another wallet than its last move says. */
export function compareMovedKey(
  { keyId, row, journal }: MovedKey,
  problems: ProblemList,
): void {
  if (row === journal) return;
  const is = row === undefined ? "no readable row" : `wallet ${JSON.stringify(row)}`;
  problems.push(
    `Key ${JSON.stringify(keyId)} has ${is}, its last move in the journal is to wallet ` +
      `${JSON.stringify(journal)}: ${RESTORE}`,
  );
}

/**
 * Compares the rows of moved keys. Once the journal has grown since the snapshot, a row that is newer
 * may have a later move, and is left out.
 */
export async function compareMovedKeys(
  kv: Deno.Kv,
  moved: ReadonlyMap<string, string>,
  { versionstamp, problems, hasGrown }: AtMoment & { readonly hasGrown: () => boolean },
): Promise<void> {
  for (const [keyId, journal] of moved) {
    const entry = await read(kv.get<Uint8Array>(["key", keyPart(keyId)]));
    if ((entry.versionstamp ?? "") > versionstamp && hasGrown()) continue;
    compareMovedKey({ keyId, journal, row: walletOf(entry.value) }, problems);
  }
}

function walletOf(value: Uint8Array | null): string | undefined {
  try {
    return value === null ? undefined : decodeKey(value).record.walletId;
  } catch {
    return undefined;
  }
}
