/**
 * All stores of a gateway, as the service uses them: the same for each kind of database.
 *
 * @module
 */

import type { Catalog } from "../domain/catalog/catalog.ts";
import type { AdditionStore } from "./addition_store.ts";
import type { CallerFileStore } from "./file_store.ts";
import type { CallerMemory } from "./caller_memory.ts";
import type { SharedCounts } from "./shared_counts.ts";
import type { AuditStore } from "./audit_store.ts";
import type { BlobStore } from "./blob_store.ts";
import type { ConsoleSessionStore } from "./console_session_store.ts";
import type { CatalogStore } from "./catalog_store.ts";
import type { EmbeddingPinStore } from "./embedding_pin_store.ts";
import type { CorrectionStore } from "./correction_store.ts";
import type { KeyStore } from "./key_store.ts";
import type { LedgerStore, Verification, VerificationStep } from "./ledger_store.ts";
import type { NoticeStore } from "./notice_store.ts";
import type { OperatorStore } from "./operator_store.ts";
import type { PassStore } from "./pass_store.ts";
import type { PassageStore } from "./passage_store.ts";
import type { RequestLog } from "./request_log.ts";
import type { ResponseStore } from "./response_store.ts";
import type { SettingsStore } from "./settings_store.ts";
import type { SnapshotStore } from "./snapshot_store.ts";
import type { StoreCopying } from "./store_copying.ts";
import type { TrailStore } from "./trail_store.ts";
import type { VoteStore } from "./vote_store.ts";

/**
 * State of a store. `failing`: the last commit failed, as on a full disk or while the database is
 * away; the next success ends this state. `lost`: nothing can be written any more, because another
 * process has taken over or a bug has stopped the writer; only a restart helps.
 */
export type StoreHealth = "ok" | "failing" | "lost";

/** An attempted commit. */
export interface AttemptedCommit {
  readonly ms: number;
  /** Number of operations that waited for it. */
  readonly operations: number;
  readonly ok: boolean;
}

/** Stores of what one gateway alone keeps in its memory. */
export interface SharedStores {
  readonly memory: CallerMemory;
  readonly counts: SharedCounts;
  readonly additions: AdditionStore;
  readonly consoleSessions: ConsoleSessionStore;
  /** Returns the number of this gateway among those that ever used the database. */
  readonly instance: () => number;
}

/** All stores of a gateway. */
export interface Stores {
  readonly ledger: LedgerStore;
  readonly keys: KeyStore;
  readonly catalogs: CatalogStore;
  readonly log: RequestLog;
  readonly blobs: BlobStore;
  readonly responses: ResponseStore & {
    /** Retention of a response in milliseconds, added to the time to give `expiresAtMs`. */
    readonly retentionMs: number;
  };
  readonly passages: PassageStore;
  readonly settings: SettingsStore;
  readonly snapshots: SnapshotStore;
  readonly votes: VoteStore;
  readonly auditStore: AuditStore;
  /** Notifications: targets, incidents and their outbox. */
  readonly noticeStore: NoticeStore;
  /** Further stores that gateways on one database share; absent where one gateway has the store. */
  readonly shared?: SharedStores | undefined;
  /** Links and sessions of key holders. */
  readonly passes: PassStore;
  readonly operatorStore: OperatorStore;
  readonly trailStore: TrailStore;
  readonly callerFiles: CallerFileStore;
  readonly embeddingPins: EmbeddingPinStore;
  /** Corrections of wallets: those that wait, and their way into the ledger. */
  readonly corrections: CorrectionStore;
  /** For a copy to another store, while nothing else uses this one. */
  readonly copying: StoreCopying;
  /** Cheap, may be called at any time. */
  health(): StoreHealth;
  /** Returns the reason why requests cannot be served until an operator acts. */
  trouble(): Promise<string | undefined>;
  /** Writes a row that is never read; rejects when nothing can be written. */
  probe(): Promise<void>;
  /** Number of changes that wait for the next commit. */
  queued(): number;
  /** Number of queries that wait for a connection to the database; 0 on a file. */
  queriesWaiting(): number;
  /** Time by which this machine's clock is ahead of the database's, in milliseconds; 0 on a file. */
  clockAheadMs(): number;
  /** Sentences for the operator about what the opening found. */
  notices(): readonly string[];
  /**
   * Runs work that only one gateway at a time may do on this store; the others wait. If the process
   * dies, the next one begins.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `tell` with each catalog that another gateway has applied. */
  watchCatalog(tell: (catalog: Catalog) => void): void;
  /**
   * Calls `refresh` within a second after another gateway has changed a setting, and again if it
   * fails. What is in memory of settings should be read again then.
   */
  watchSettings(refresh: () => Promise<void>): void;
  /**
   * Calls `tell` once another gateway has ended this one, which was not heard of: holds that are open
   * then were, or will be, ended for it.
   */
  watchLoss(tell: () => void): void;
  /** Recomputes the ledger from the journal and compares, also while it changes. */
  verify(): Promise<Verification>;
  /** Verifies step by step and reports progress; a consumer that stops iterating ends the work. */
  verification(): AsyncGenerator<VerificationStep, void>;
  /** Writes waiting changes, refuses waiting holds and closes the database. */
  close(): Promise<void>;
}
