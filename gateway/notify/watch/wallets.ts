import type { Wallet } from "../../domain/ledger/ledger.ts";
import { isLow, type LowMark } from "../../domain/ledger/low_balance.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import type { Condition } from "../../domain/notices/incident.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";

/** Sources of the balances of wallets. */
export interface WalletSources {
  readonly ledger: Pick<LedgerStore, "wallet" | "allWallets">;
  /** Returns the marks of wallets, in their order. */
  readonly marksOf: (wallets: readonly Wallet[]) => Promise<readonly LowMark[]>;
}

/** Wallets whose marks are read together. */
const AT_ONCE = 200;

/**
 * Returns the conditions of some wallets. A wallet into which nothing was ever paid is not low, nor is
 * a closed one: it has no use for credits.
 */
export async function walletConditions(
  ids: Iterable<string>,
  { ledger, marksOf }: WalletSources,
): Promise<Condition[]> {
  const wallets: Wallet[] = [];
  for (const id of ids) {
    const wallet = await ledger.wallet(id);
    if (wallet !== undefined) wallets.push(wallet);
  }
  return lowAmong(wallets, await marksOf(wallets));
}

/** Yields the conditions of all wallets. */
export async function* allWalletConditions(
  { ledger, marksOf }: WalletSources,
): AsyncGenerator<Condition, void> {
  let some: Wallet[] = [];
  for await (const wallet of ledger.allWallets()) {
    if (some.push(wallet) < AT_ONCE) continue;
    yield* lowAmong(some, await marksOf(some));
    some = [];
  }
  yield* lowAmong(some, await marksOf(some));
}

function lowAmong(wallets: readonly Wallet[], marks: readonly LowMark[]): Condition[] {
  return wallets.flatMap((wallet, at) => {
    const mark = marks[at];
    if (mark === undefined || wallet.credits === 0n || wallet.closedAtMs !== undefined) return [];
    if (!isLow(wallet, mark)) return [];
    const rest = formatCredits(wallet.available + wallet.held);
    const below = formatCredits(mark.below);
    const text = `Wallet "${wallet.id}" is low: ${rest} credits are left, its mark is ${below}`;
    const facts = { wallet: wallet.id, credits_left: rest, low_below: below };
    return [{ kind: "wallet_low", subject: wallet.id, text, facts }];
  });
}
