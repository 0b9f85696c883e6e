import type { EndedHold, Hold, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import type { CreditRecord, LedgerView } from "../../../domain/ledger/state.ts";
import { MAX_REMEMBERED_ENDINGS } from "../limits.ts";
import { BoundedMap } from "../../../system/bounded_map.ts";

/** The durable state of the ledger, in memory. Contains only what a commit has made durable. */
export class Books implements LedgerView {
  readonly wallets: Map<string, Wallet> = new Map();
  readonly spends: Map<string, KeySpend> = new Map();
  /** Oldest first. */
  readonly holds: Map<string, Hold> = new Map();
  /** Ids of log rows stored for the case that the gateway dies. */
  readonly killedRows: Set<string> = new Set();
  readonly #ended = new BoundedMap<string, EndedHold>(MAX_REMEMBERED_ENDINGS);
  readonly #credits = new BoundedMap<string, CreditRecord>(MAX_REMEMBERED_ENDINGS);

  wallet(id: string): Wallet | undefined {
    return this.wallets.get(id);
  }

  spend(keyId: string): KeySpend | undefined {
    return this.spends.get(keyId);
  }

  hold(id: string): Hold | undefined {
    return this.holds.get(id);
  }

  ended(id: string): EndedHold | undefined {
    return this.#ended.get(id);
  }

  credit(opId: string): CreditRecord | undefined {
    return this.#credits.get(opId);
  }

  /** Ends a hold and remembers the outcome for a while. */
  end(ended: EndedHold): void {
    this.holds.delete(ended.hold.id);
    this.#ended.set(ended.hold.id, ended);
  }

  /** Remembers a credit for a while. */
  rememberCredit(opId: string, credit: CreditRecord): void {
    this.#credits.set(opId, credit);
  }
}
