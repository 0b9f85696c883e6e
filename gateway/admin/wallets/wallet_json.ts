import type { AnswerOf } from "../../admin_api/operations.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import { isLow, type LowMark, lowMarkOf } from "../../domain/ledger/low_balance.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTimeOrNull } from "../json_values.ts";

type WalletAnswer = AnswerOf<"GET /wallets/{id}">;

/** Returns wallets as the API shows them. */
export async function walletsJson(
  wallets: readonly Wallet[],
  { lowBalances }: Pick<AdminDeps, "lowBalances">,
): Promise<WalletAnswer[]> {
  const marks = await lowBalances.marksOf(wallets);
  return wallets.map((wallet, at) => shown(wallet, marks[at] ?? lowMarkOf(wallet, undefined)));
}

/** Returns a wallet as the API shows it. */
export async function walletJson(
  wallet: Wallet,
  { lowBalances }: Pick<AdminDeps, "lowBalances">,
): Promise<WalletAnswer> {
  return shown(wallet, await lowBalances.markOf(wallet));
}

/** Returns a wallet as the audit log shows it. */
export function walletState({ id, tier, credits, available, held, spent }: Wallet) {
  return {
    ...{ id, tier, credits: formatCredits(credits), available: formatCredits(available) },
    ...{ held: formatCredits(held), spent: formatCredits(spent) },
  };
}

function shown(wallet: Wallet, mark: LowMark): WalletAnswer {
  return {
    id: wallet.id,
    tier: wallet.tier,
    credits: formatCredits(wallet.credits),
    available: formatCredits(wallet.available),
    held: formatCredits(wallet.held),
    spent: formatCredits(wallet.spent),
    writtenOff: formatCredits(wallet.writtenOff),
    lowBelow: formatCredits(mark.below),
    lowBelowSet: mark.isSet,
    low: wallet.closedAtMs === undefined && isLow(wallet, mark),
    closedAt: isoTimeOrNull(wallet.closedAtMs),
  };
}
