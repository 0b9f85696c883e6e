import type { Wallet } from "../../domain/ledger/ledger.ts";
import { type LowMark, lowMarkOf } from "../../domain/ledger/low_balance.ts";
import { parseCredits } from "../../domain/ledger/money.ts";
import type { Noted } from "../../domain/operators/trail.ts";
import type { SettingsStore } from "../../ports/settings_store.ts";
import { BoundedMap } from "../../system/bounded_map.ts";

/** Maximum number of wallets whose marks are in memory. */
const MARKS_KNOWN = 1_000;

/**
 * The balances at which wallets count as low. They only inform operators, so they are settings and
 * not part of the ledger.
 */
export class LowBalances {
  readonly #settings: SettingsStore;
  /** Marks as read from the settings; an empty text if none is set. */
  #known = new BoundedMap<string, string>(MARKS_KNOWN);

  constructor(settings: SettingsStore) {
    this.#settings = settings;
  }

  /** Returns the mark of a wallet. */
  async markOf({ id, credits }: Pick<Wallet, "id" | "credits">): Promise<LowMark> {
    const marks = this.#known;
    const known = marks.get(id) ?? await this.#settings.get(nameOf(id)) ?? "";
    // A mark that was read before it was forgotten is kept with the others of its time.
    marks.set(id, known);
    return lowMarkOf({ credits }, known === "" ? undefined : parseCredits(known));
  }

  /** Forgets what is in memory: another gateway may have set other marks. */
  forget(): void {
    this.#known = new BoundedMap(MARKS_KNOWN);
  }

  /** Returns the marks of wallets, in their order. */
  async marksOf(wallets: readonly Pick<Wallet, "id" | "credits">[]): Promise<readonly LowMark[]> {
    const set = await this.#settings.getMany(wallets.map(({ id }) => nameOf(id)));
    return wallets.map((wallet) => {
      const credits = set.get(nameOf(wallet.id)) ?? "";
      return lowMarkOf(wallet, credits === "" ? undefined : parseCredits(credits));
    });
  }

  /**
   * Sets the mark of a wallet in credits; `undefined` restores the default, a share of what was
   * paid in. Its entry has the mark before and after; an empty text stands for the default.
   */
  async set(
    id: string,
    credits: string | undefined,
    options: Noted<string> = {},
  ): Promise<void> {
    await this.#settings.set(nameOf(id), credits ?? "", options);
    this.#known.set(id, credits ?? "");
  }
}

function nameOf(id: string): string {
  return `wallet_low_${id}`;
}
