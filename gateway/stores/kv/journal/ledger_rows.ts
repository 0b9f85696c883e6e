/**
 * Reads the rows of wallets and of the spends of keys, and checks wallets against open holds.
 *
 * @module
 */

import type { Hold, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import { assertWallet } from "../../../domain/ledger/state.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { eachRow } from "../each_row.ts";
import { read } from "../read.ts";
import { keyPart } from "../rows.ts";
import type { Books, LedgerRows } from "./books.ts";

/**
 * Reads wallets and spends. `held` has what the open holds of a wallet come to while they are
 * loaded; a wallet that is read later has none.
 */
export function ledgerRows(kv: Deno.Kv, held: ReadonlyMap<string, bigint>): LedgerRows {
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

/** Returns what the open holds of each wallet come to. */
export function heldByWallet(holds: ReadonlyMap<string, Hold>): Map<string, bigint> {
  const held = new Map<string, bigint>();
  for (const { walletId, amount } of holds.values()) {
    held.set(walletId, (held.get(walletId) ?? 0n) + amount);
  }
  return held;
}

/**
 * Checks wallets against the open holds, among them all wallets of open holds.
 *
 * @throws {StoreError} When a wallet does not add up, holds another amount, or is missing.
 */
export function requireHolds(
  wallets: ReadonlyMap<string, Wallet>,
  holds: ReadonlyMap<string, Hold>,
): void {
  const held = heldByWallet(holds);
  for (const [id, wallet] of wallets) requireSound(wallet, held.get(id) ?? 0n);
  for (const id of held.keys()) {
    if (wallets.has(id)) continue;
    const message = `Cannot read the store: wallet "${id}" has open holds and no row`;
    throw new StoreError(message, { isDamage: true });
  }
}

/**
 * Checks every wallet against the open holds: those in memory, and the rows of all others. Returns
 * the number of wallets.
 *
 * @throws {StoreError} When a wallet does not add up, or holds another amount than its open holds.
 */
export async function checkWallets(kv: Deno.Kv, books: Books): Promise<number> {
  const held = heldByWallet(books.holds);
  let count = 0;
  for await (const { value } of eachRow<Wallet>(kv, { prefix: ["wallet"] })) {
    requireSound(books.wallets.known(value.id) ?? value, held.get(value.id) ?? 0n);
    count++;
  }
  return count;
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
