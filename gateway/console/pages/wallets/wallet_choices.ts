import type { View } from "../../page.ts";
import type { Wallet } from "./answers.ts";

/** Wallets that are offered to choose from; of more, the id is entered. */
const OFFERED_MAX = "500";

/** The wallets to choose from. */
export interface WalletChoices {
  /** The first wallets by their ids. */
  readonly wallets: readonly Wallet[];
  /** True when these are all: then one is chosen, otherwise its id is entered. */
  readonly isWhole: boolean;
}

/** Loads the wallets to choose from. */
export async function walletChoices(view: View): Promise<WalletChoices> {
  const { wallets, cursor } = await view.load("GET /wallets", { query: { limit: OFFERED_MAX } });
  return { wallets, isWhole: cursor === null };
}
