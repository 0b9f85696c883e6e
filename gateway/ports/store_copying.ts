import type { JournalEntry } from "../domain/ledger/ledger.ts";
import type { Rollup } from "../domain/requests/rollup.ts";
import type { AuditCost } from "./audit_store.ts";
import type { Micros } from "../domain/ledger/money.ts";
import type { Correction } from "../domain/ledger/waiting_correction.ts";
import type { Operator } from "../domain/operators/operator.ts";
import type { StoredTrailEntry } from "../domain/operators/trail.ts";
import type { StoredBlob } from "./blob_store.ts";
import type { RequestRecord } from "./request_log.ts";
import type { StoredResponse } from "./response_store.ts";
import type { SettingsStore } from "./settings_store.ts";
import type { Vote } from "./vote_store.ts";

/** A setting under the name that its store has for it. */
export interface NamedSetting {
  readonly name: string;
  readonly value: string;
}

/** A vote at its position; without a vote, the last position that was ever used. */
export interface PlacedVote {
  readonly position: number;
  readonly vote?: Vote | undefined;
}

/** The sums of the requests of one period. */
export interface PeriodSums {
  readonly widthMs: number;
  readonly startMs: number;
  readonly rollup: Rollup;
}

/**
 * Reads and writes of a copy to another store that no other port has. Only one process uses either
 * store meanwhile. What is put twice is stored once, except entries and records: they are appended.
 */
export interface StoreCopying {
  /** Resolves to the number of other gateways that have the store open, or left something to end. */
  others(): Promise<number>;
  /** Appends entries to the journal, with their changes. A failure leaves a beginning of them. */
  appendEntries(entries: readonly JournalEntry[]): Promise<void>;
  /** Appends rows to the request log. A failure leaves all of them or none. */
  appendRecords(records: readonly RequestRecord[]): Promise<void>;
  /** Number of rows ever appended to the request log. */
  recordCount(): Promise<number>;
  /** Replaces sums of the request log, which then include all rows that it has. */
  putSums(sums: readonly PeriodSums[]): Promise<void>;
  /** Stores an operator without an entry of the audit log, which has its own. */
  putOperator(operator: Operator): Promise<void>;
  /** Stores a correction that waits or has ended, without its effect, which the journal has. */
  putCorrection(correction: Correction): Promise<void>;
  /**
   * Appends entries to the audit log as they are, with their hashes. A failure leaves all of them or
   * none.
   *
   * @throws {StoreError} When they do not follow the last one.
   */
  appendTrail(entries: readonly StoredTrailEntry[]): Promise<void>;
  settings(): AsyncIterable<NamedSetting>;
  putSetting(setting: NamedSetting): Promise<void>;
  /** Yields the votes in order, and last the last position. */
  votes(): AsyncIterable<PlacedVote>;
  putVotes(votes: readonly PlacedVote[]): Promise<void>;
  /** Yields the costs of audits, older days first. */
  audits(): AsyncIterable<AuditCost & { readonly cost: Micros }>;
  /** Yields files that have not expired. */
  blobs(): AsyncIterable<StoredBlob>;
  /** Yields responses that have not expired, those stored first first. */
  responses(): AsyncIterable<StoredResponse>;
}

/** Setting of a store that is, or was, the target of a copy. */
export const COPY_MARK = "store_copy";

/** The value of {@linkcode COPY_MARK}, as JSON. */
export interface CopyMark {
  /** Id of the source. */
  readonly from: string;
  /** Names of the parts that are complete. */
  readonly done: readonly string[];
  /** Set once the copy was compared with its source: only then is it a store to serve from. */
  readonly finished?: {
    readonly atMs: number;
    /** The end of the source's journal. The copy's chain of hashes is its own. */
    readonly entries: number;
    readonly head: string;
  };
}

/** Reads the mark of a store; `undefined` if it was never the target of a copy. */
export async function readCopyMark(
  settings: Pick<SettingsStore, "get">,
): Promise<CopyMark | undefined> {
  const text = await settings.get(COPY_MARK);
  return text === undefined ? undefined : JSON.parse(text) as CopyMark;
}
