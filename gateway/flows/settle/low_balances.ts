import type { Wallet } from "../../domain/ledger/ledger.ts";
import { type LowMark, lowMarkOf } from "../../domain/ledger/low_balance.ts";
import { parseCredits } from "../../domain/ledger/money.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";

/**
 * The marks below which wallets count as low: told of, never acted upon. They are settings beside the
 * books, which know of money only.
 */
export class LowBalances {
  readonly #settings: SettingsStore;
  /** What is set, as read; an empty text where nothing is. */
  readonly #known = new Map<string, string>();

  constructor(settings: SettingsStore) {
    this.#settings = settings;
  }

  /** A wallet's mark. */
  async markOf({ id, credits }: Pick<Wallet, "id" | "credits">): Promise<LowMark> {
    const known = this.#known.get(id) ?? await this.#settings.get(nameOf(id)) ?? "";
    this.#known.set(id, known);
    return lowMarkOf({ credits }, known === "" ? undefined : parseCredits(known));
  }

  /** Sets a wallet's mark in credits; `undefined` goes back to the part. */
  async set(id: string, credits: string | undefined): Promise<void> {
    await this.#settings.set(nameOf(id), credits ?? "");
    this.#known.set(id, credits ?? "");
  }
}

function nameOf(id: string): string {
  return `wallet_low_${id}`;
}
