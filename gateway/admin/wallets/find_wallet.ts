import { ServiceFault } from "../../domain/fault.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import type { AdminDeps } from "../deps.ts";
import { suggestion } from "../../config/suggestion.ts";

/** Returns the wallet of an id; throws `not_found` with the nearest id where there is none. */
export async function findWallet(deps: Pick<AdminDeps, "ledger">, id: string): Promise<Wallet> {
  const wallet = await deps.ledger.wallet(id);
  if (wallet !== undefined) return wallet;
  const ids = (await deps.ledger.wallets()).map((known) => known.id);
  throw new ServiceFault("not_found", {
    message: `There is no wallet "${id}"${suggestion(id, ids)}`,
  });
}
