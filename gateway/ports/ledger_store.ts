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
  ReleaseCommand,
  SettleCommand,
  Wallet,
} from "../domain/ledger/ledger.ts";
import type { Micros } from "../domain/ledger/money.ts";
import type { RequestRecord } from "./request_log.ts";

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

/** What a settlement leaves of its request, written in the same commit, and once. */
export interface SettlementRows {
  /** The log row of a request that ends with it. */
  readonly row?: RequestRecord | undefined;
  /** The row that a request which goes on gets where the gateway dies before its own is written. */
  readonly killedRow?: RequestRecord | undefined;
  /** The same of a settlement that comes late: it is for a request whose own row is still to come. */
  readonly lateKilledRow?: RequestRecord | undefined;
}

/** A page of journal entries, newest first. */
export interface JournalPage {
  /** Those that move money: progress is left out. */
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
  /** Those of one kind. @default {all that move money} */
  readonly kind?: JournalEntry["op"] | undefined;
}

/** An entry and where it stands in the journal. */
export interface PlacedEntry {
  /** Counted from 1 at the journal's beginning, without gaps. */
  readonly place: number;
  /** Number of the segment it is in: the link of the chain of hashes. */
  readonly segment: number;
  readonly entry: JournalEntry;
}

/** Which entries are read. Times in Unix milliseconds, both ends included. */
export interface JournalRange {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly walletId?: string | undefined;
}

/** Which request's entries are read. Times in Unix milliseconds. */
export interface RequestEntriesQuery {
  /** Id of its log row. */
  readonly logId: string;
  /** All of its holds. */
  readonly holdIds: readonly string[];
  /** When it began, and about when it ended. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The journal as it stood at one moment. */
export interface JournalReading {
  /** Entries in the whole journal. */
  readonly total: number;
  /** Segments in the chain of hashes. */
  readonly segments: number;
  /** SHA-256 of the last one, hexadecimal: no entry before can change without it. */
  readonly head: string;
  /** The entries, oldest first, in lists that may be empty; whoever stops asking ends the work. */
  entries(): AsyncGenerator<readonly PlacedEntry[], void>;
}

/** What recomputing the books from the journal came to. */
export interface Verification {
  /** Journal entries that were read. */
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
  /** The first of them, one sentence each; empty where the books are right. */
  readonly problems: readonly string[];
  /** How many there are beyond those. */
  readonly moreProblems: number;
}

/** How far a verification has come. */
export interface VerificationStep {
  /** Journal entries looked at. */
  readonly entries: number;
  /** Journal entries in all. */
  readonly total: number;
  /** What it came to: with the last step only. */
  readonly result?: Verification | undefined;
}

/**
 * The books. Every method that changes them resolves once the change is durable, in the order of
 * the calls, and is safe to repeat under the same id. Throws a `StoreError` where the store cannot
 * write: then nothing has changed. Only where the store cannot be read either, and the error says
 * `mayHaveLanded`, the change may turn out to have landed: whoever gives a hold up after such an error
 * releases it under its id.
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
  /**
   * Notes how far a call has come, so that it is charged that where the gateway dies. `killedRow` is
   * asked for with a hold's first progress: the row that its request then gets, charged for what was
   * settled before this call.
   */
  progress(command: ProgressCommand, killedRow: () => RequestRecord): Promise<Applied<Progress>>;
  settle(command: SettleCommand, rows?: SettlementRows): Promise<Applied<Settled>>;
  release(command: ReleaseCommand): Promise<Applied<{ released: Micros }>>;

  wallet(id: string): Promise<Wallet | undefined>;
  wallets(): Promise<readonly Wallet[]>;
  keySpend(keyId: string): Promise<KeySpend | undefined>;
  /** Holds not yet ended, oldest first. */
  openHolds(): Promise<readonly Hold[]>;
  statement(walletId: string, query: JournalQuery): Promise<JournalPage>;
  /**
   * The entries of one request, oldest first. The work is bounded: `isComplete` says whether all of
   * its holds were found, and their ends.
   */
  entriesOf(
    query: RequestEntriesQuery,
  ): Promise<{ readonly entries: readonly JournalEntry[]; readonly isComplete: boolean }>;
  /** Every entry from the oldest on. */
  entries(options?: { sinceMs?: number }): AsyncIterable<JournalEntry>;
  /** The journal as it stands now, to be read whole while the service goes on. */
  journal(range: JournalRange): JournalReading;
}
