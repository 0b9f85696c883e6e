import { ServiceFault } from "../../domain/fault.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import type { AdminDeps } from "../deps.ts";
import { suggestion } from "../../config/suggestion.ts";

/** Maximum number of ids among which a refusal looks for the nearest one. */
const CANDIDATES_MAX = 500;

/** Returns the wallet of an id; throws `not_found` with the nearest id where there is none. */
export async function findWallet(deps: Pick<AdminDeps, "ledger">, id: string): Promise<Wallet> {
  const wallet = await deps.ledger.wallet(id);
  if (wallet !== undefined) return wallet;
  throw new ServiceFault("not_found", { message: await noWallet(deps, id) });
}

/** Throws when there is no wallet of an id; the message suggests the nearest one. */
export async function requireWallet(deps: Pick<AdminDeps, "ledger">, id: string): Promise<void> {
  if (await deps.ledger.wallet(id) !== undefined) return;
  throw new ServiceFault("invalid_request", {
    message: await noWallet(deps, id),
    param: "wallet",
  });
}

/** Names the nearest id, of the first wallets or of those that begin alike. */
async function noWallet({ ledger }: Pick<AdminDeps, "ledger">, id: string): Promise<string> {
  const isMany = ledger.walletCount() > CANDIDATES_MAX;
  const from = isMany ? id.slice(0, 1) : undefined;
  const { wallets } = await ledger.walletPage({ limit: CANDIDATES_MAX, from });
  return `There is no wallet "${id}"${suggestion(id, wallets.map((known) => known.id))}`;
}
