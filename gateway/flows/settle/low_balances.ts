import type { Wallet } from "../../domain/ledger/ledger.ts";
import { type LowMark, lowMarkOf } from "../../domain/ledger/low_balance.ts";
import { parseCredits } from "../../domain/ledger/money.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";

/**
 * The balances at which wallets count as low. They only inform operators, so they are settings and
 * not part of the ledger.
 */
export class LowBalances {
  readonly #settings: SettingsStore;
  /** Marks as read from the settings; an empty text if none is set. */
  readonly #known = new Map<string, string>();

  constructor(settings: SettingsStore) {
    this.#settings = settings;
  }

  /** Returns the mark of a wallet. */
  async markOf({ id, credits }: Pick<Wallet, "id" | "credits">): Promise<LowMark> {
    const known = this.#known.get(id) ?? await this.#settings.get(nameOf(id)) ?? "";
    this.#known.set(id, known);
    return lowMarkOf({ credits }, known === "" ? undefined : parseCredits(known));
  }

  /**
   * Sets the mark of a wallet in credits; `undefined` restores the default, a share of what was
   * paid in.
   */
  async set(id: string, credits: string | undefined): Promise<void> {
    await this.#settings.set(nameOf(id), credits ?? "");
    this.#known.set(id, credits ?? "");
  }
}

function nameOf(id: string): string {
  return `wallet_low_${id}`;
}
