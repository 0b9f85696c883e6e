import type {
  CreditCommand,
  Hold,
  HoldCommand,
  JournalEntry,
  KeySpend,
  LedgerRefusal,
  OpenWalletCommand,
  Progress,
  ProgressCommand,
  SettleCommand,
  VoidCommand,
  Wallet,
} from "../domain/ledger/ledger.ts";
import type { Noted } from "../domain/operators/trail.ts";
import type { Micros } from "../domain/ledger/money.ts";
import type { AtOnce } from "./at_once.ts";
import type { KilledRow, RequestRecord } from "./request_log.ts";

/**
 * The outcome of a command: applied, or refused; both are durable. Failures of the store are
 * thrown.
 */
export type Applied<T> = { readonly ok: true; readonly value: T } | {
  readonly ok: false;
  readonly refusal: LedgerRefusal;
  /** Name of the budget that is too small; absent where it is the key's own. */
  readonly budget?: string | undefined;
};

/** The result of a settlement. */
export interface Settled {
  readonly charged: Micros;
  readonly writtenOff: Micros;
}

/** Log rows that are written with a settlement, in the same commit and once. */
export interface SettlementRows {
  /** Log row of a request that ends with the settlement. */
  readonly row?: RequestRecord | undefined;
  /**
   * Log row of a request that continues, for a death of the gateway before its own row is written.
   * Its sum is that of the request's settlements that are durable by then.
   */
  readonly killedRow?: KilledRow | undefined;
}

/** A page of journal entries, newest first. */
export interface JournalPage {
  /** Entries that move money, without progress. */
  readonly entries: readonly JournalEntry[];
  /** Cursor of the next page; absent on the last. */
  readonly cursor?: string | undefined;
}

/** The selection of a page of wallets. */
export interface WalletQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Returns those of some wallets that belong on the page. @default {all} */
  readonly keep?: ((wallets: readonly Wallet[]) => Promise<readonly Wallet[]>) | undefined;
  /** True for descending ids. @default {false} */
  readonly descending?: boolean | undefined;
  /** Starts at the first id that is not below this text. @default {at the first} */
  readonly from?: string | undefined;
}

/** A page of wallets. */
export interface WalletPage {
  /** Fewer than the limit, or none, where the search was cut short: then there is a cursor. */
  readonly wallets: readonly Wallet[];
  /** Cursor of the next page; absent on the last. */
  readonly cursor?: string | undefined;
}

/** The selection of entries for a statement. */
export interface JournalQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  /** Kind of entries. @default {all that move money} */
  readonly kind?: JournalEntry["op"] | undefined;
}

/** An entry and its position in the journal. */
export interface PlacedEntry {
  /** Position, counted from 1 without gaps. */
  readonly place: number;
  /** Number of its segment, a link in the chain of hashes. */
  readonly segment: number;
  readonly entry: JournalEntry;
}

/** The selection of journal entries. Times in Unix milliseconds, both ends included. */
export interface JournalRange {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly walletId?: string | undefined;
}

/** The selection of the entries of one request. Times in Unix milliseconds. */
export interface RequestEntriesQuery {
  /** Id of its log row. */
  readonly logId: string;
  /** Ids of all its holds. */
  readonly holdIds: readonly string[];
  /** Start of the request, and its approximate end. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The journal at one moment. */
export interface JournalReading {
  /** Number of entries in the whole journal. */
  readonly total: number;
  /** Segments in the chain of hashes. */
  readonly segments: number;
  /** SHA-256 of the last segment, hexadecimal: no earlier entry can change without it. */
  readonly head: string;
  /**
   * Returns the entries, oldest first, in lists that may be empty. Ending the iteration ends the
   * work.
   */
  entries(): AsyncGenerator<readonly PlacedEntry[], void>;
}

/** The result of recomputing the books from the journal. */
export interface Verification {
  /** Number of journal entries that were read. */
  readonly entries: number;
  /** Segments in the chain of hashes. */
  readonly segments: number;
  /** SHA-256 of the last one, hexadecimal. */
  readonly head: string;
  readonly wallets: number;
  /** Keys that have spent or held anything. */
  readonly keys: number;
  /** Holds not yet ended. */
  readonly openHolds: number;
  /** The first problems, one sentence each; empty if the books are correct. */
  readonly problems: readonly string[];
  /** Number of further problems. */
  readonly moreProblems: number;
}

/** The progress of a verification. */
export interface VerificationStep {
  /** Number of journal entries that were read. */
  readonly entries: number;
  /** Number of journal entries in total. */
  readonly total: number;
  /** Result, with the last step only. */
  readonly result?: Verification | undefined;
}

/**
 * The ledger. Every method that changes it resolves once the change is durable, in the order of the
 * calls, and is safe to repeat under the same id. Throws a `StoreError` if the store cannot write:
 * then nothing has changed. Only if the store cannot be read either, and the error says
 * `mayHaveLanded`, the change may have landed: a hold that is given up after such an error must be
 * voided under its id.
 */
export interface LedgerStore {
  open(command: OpenWalletCommand, options?: Noted<Wallet>): Promise<Applied<Wallet>>;
  credit(command: CreditCommand, options?: Noted<Wallet>): Promise<Applied<Wallet>>;
  /**
   * Holds up to `amount`, at least `minimum`. If not even that is available, but open holds of the
   * wallet (or of the budget of the key) could free it, the call waits in order of arrival for at
   * most `waitMs`. Aborting the signal ends the wait as if the time were over.
   */
  hold(
    command: HoldCommand,
    options: { waitMs: number; signal?: AbortSignal | undefined },
  ): Promise<Applied<{ held: Micros }>>;
  /**
   * Stores the progress of a call, which is its charge if the gateway dies. `killedRow` is called
   * with the first progress of a hold: it returns the row that the request then gets. Its sum is
   * that of the request's durable settlements.
   */
  progress(command: ProgressCommand, killedRow: () => KilledRow): Promise<Applied<Progress>>;
  settle(command: SettleCommand, rows?: SettlementRows): Promise<Applied<Settled>>;
  voidHold(command: VoidCommand): Promise<Applied<{ released: Micros }>>;

  /** Returns a wallet, at once if it is in memory. */
  wallet(id: string): AtOnce<Wallet | undefined>;
  /** Returns a page of the wallets, in the order of their ids. */
  walletPage(query: WalletQuery): Promise<WalletPage>;
  /** Returns the number of wallets. */
  walletCount(): number;
  /** Yields every wallet, in the order of their ids, and yields to the event loop in between. */
  allWallets(): AsyncIterable<Wallet>;
  /** Returns what a key has spent, at once if it is in memory. */
  keySpend(keyId: string): AtOnce<KeySpend | undefined>;
  /** Returns open holds, oldest first. */
  openHolds(): Promise<readonly Hold[]>;
  statement(walletId: string, query: JournalQuery): Promise<JournalPage>;
  /**
   * Returns the entries of one request, oldest first. The work is bounded: `isComplete` is true
   * when all of its holds and their ends were read.
   */
  entriesOf(
    query: RequestEntriesQuery,
  ): Promise<{ readonly entries: readonly JournalEntry[]; readonly isComplete: boolean }>;
  /** Returns the entries of a range, oldest first. */
  entries(range?: JournalRange): AsyncIterable<JournalEntry>;
  /** Returns the journal as it is now, for a complete read while the service runs. */
  journal(range: JournalRange): Promise<JournalReading>;
}

/** The part of the ledger that requests use. */
export type RequestLedger = Pick<
  LedgerStore,
  "hold" | "progress" | "settle" | "voidHold" | "wallet" | "keySpend"
>;
