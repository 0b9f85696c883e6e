import type {
  CreditCommand,
  HoldCommand,
  JournalEntry,
  KeySpend,
  LedgerRefusal,
  OpenWalletCommand,
  ReleaseCommand,
  SettleCommand,
  Wallet,
} from "../domain/ledger.ts";
import type { Micros } from "../domain/money.ts";

/** A command was applied, or refused; both are durable answers. Faults of the store are thrown. */
export type Applied<T> = { readonly ok: true; readonly value: T } | {
  readonly ok: false;
  readonly refusal: LedgerRefusal;
};

/** What a settlement came to. */
export interface Settled {
  readonly charged: Micros;
  readonly writtenOff: Micros;
}

/** A page of journal entries, newest first. */
export interface JournalPage {
  readonly entries: readonly JournalEntry[];
  /** Pass it back for the next page; absent on the last. */
  readonly cursor?: string | undefined;
}

/** Which entries a statement shows. */
export interface JournalQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/**
 * The books. Every method that changes them resolves once the change is durable, in the order of
 * the calls, and is safe to repeat under the same id. Throws a `StoreError` where the store cannot
 * write: then nothing has changed. Only where the store cannot be read either, the change may turn
 * out to have landed: whoever gives a hold up after such an error releases it under its id.
 */
export interface LedgerStore {
  open(command: OpenWalletCommand): Promise<Applied<Wallet>>;
  credit(command: CreditCommand): Promise<Applied<Wallet>>;
  /**
   * Reserves up to `amount`, at least `minimum`. Where not even that is free but open holds of the
   * wallet (or of the key's budget) could free it, the call waits its turn, first come first served,
   * for at most `waitMs`; who leaves the line by aborting the signal is answered as if that were over.
   */
  hold(
    command: HoldCommand,
    options: { waitMs: number; signal?: AbortSignal | undefined },
  ): Promise<Applied<{ held: Micros }>>;
  settle(command: SettleCommand): Promise<Applied<Settled>>;
  release(command: ReleaseCommand): Promise<Applied<{ released: Micros }>>;

  wallet(id: string): Promise<Wallet | undefined>;
  wallets(): Promise<readonly Wallet[]>;
  keySpend(keyId: string): Promise<KeySpend | undefined>;
  /** Holds not yet ended, oldest first. */
  openHolds(): Promise<readonly { id: string; walletId: string; amount: Micros; atMs: number }[]>;
  statement(walletId: string, query: JournalQuery): Promise<JournalPage>;
  /** Every entry from the oldest on. */
  entries(options?: { sinceMs?: number }): AsyncIterable<JournalEntry>;
}
