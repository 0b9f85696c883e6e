import { Additions } from "../../domain/learning/additions.ts";
import type { AdditionStore } from "../../ports/addition_store.ts";

/** Maximum rows that one snapshot includes; the next one includes the rest. */
const INCLUDED_MAX = 2_000;

/** Statistics that this instance has collected, on their way to the instance that takes the next snapshot. */
export class SharedAdditions {
  readonly #store: AdditionStore;
  /** Statistics that may be stored already: they are sent again under their id. */
  #unsent: { readonly id: string; readonly additions: Additions } | undefined;

  constructor(store: AdditionStore) {
    this.#store = store;
  }

  /** Stores what `collect` returns, which is called once everything before is stored. */
  async send(collect: () => Additions): Promise<void> {
    await this.#sendAgain();
    const additions = collect();
    if (additions.isEmpty) return;
    this.#unsent = { id: crypto.randomUUID(), additions };
    await this.#sendAgain();
  }

  /** Returns what all instances have stored and no snapshot includes, with its ids. */
  async waiting(): Promise<{ readonly collected: Additions; readonly ids: readonly string[] }> {
    const rows = await this.#store.waiting(INCLUDED_MAX);
    const collected = new Additions();
    for (const { wallets } of rows) collected.add(wallets);
    return { collected, ids: rows.map(({ id }) => id) };
  }

  /** True if a snapshot includes everything that is stored. */
  async isEmpty(): Promise<boolean> {
    return (await this.#store.waiting(1)).length === 0;
  }

  /** True if this instance takes the snapshots. */
  lead(): Promise<boolean> {
    return this.#store.lead();
  }

  async #sendAgain(): Promise<void> {
    if (this.#unsent === undefined) return;
    const { id, additions } = this.#unsent;
    await this.#store.add({ id, wallets: additions.byWallet() });
    this.#unsent = undefined;
  }
}
