/**
 * Locks of the database for which instances wait. All end with their transaction, and so with the
 * connection of an instance that dies.
 *
 * Rows that are locked, in the order in which one transaction takes them:
 *
 * 1. `ledger_head`: every batch of the ledger, on any instance. It is locked before any row of a
 *    wallet, budget or hold is read, so that these need no locks and batches no order of their own.
 * 2. `correction`: those that a batch applies.
 * 3. `api_key`: a key that changes.
 * 4. `key_count`: the number of keys; `change_head`: the numbers of changes, until the commit, so that
 *    they become visible in their order.
 * 5. `audit_trail_head`: the end of the audit log, last of all.
 *
 * Others are locked alone, or before `change_head` and `audit_trail_head`: `setting`, `vote_head`,
 * `log_sums_head` (an instance that finds it locked lets the other one count) and then
 * `request_log_part`, `caller_memory_head`, `caller_file_upload`, `notice_incident`,
 * `notice_delivery`, and the rows of `key_minute`, in the order of their ids.
 *
 * @module
 */

import type { Transaction } from "../connection.ts";

/**
 * Keys of advisory locks. A released key never changes: by it instances of two versions exclude each
 * other.
 */
const KEYS = {
  /** One instance migrates; the others wait for it. */
  migration: 5_811_763_204,
  /** Reservations of audits: the costs of a day are added up under it. */
  audits: 5_811_763_205,
  /** Snapshots of routing: each number is published once. */
  snapshots: 5_811_763_206,
  /** Work of a first start, until the instance that does it has ended. */
  exclusive: 5_811_763_207,
  /** Changes of targets of notifications, whose number is limited. */
  noticeTargets: 5_811_763_215,
} as const;

/** Takes an advisory lock. The wait has the limit of a statement, or another one. */
export async function takeLock(
  tx: Transaction,
  name: keyof typeof KEYS,
  { limitMs }: { readonly limitMs?: number | undefined } = {},
): Promise<void> {
  const text = "select pg_advisory_xact_lock($1)";
  await tx.unsafe(text, [KEYS[name]], { limitMs, prepare: true });
}

/** Orders the changes of files of callers: their bytes are added up under it. */
export async function lockCallerFiles(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('svc caller files', 0))`;
}

/** Orders the changes of vector stores: their limits are checked under it. */
export async function lockVectorStores(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('svc vector stores', 0))`;
}

/** Orders the changes of values of a kind: their bytes are added up under it. */
export async function lockValues(tx: Transaction, kind: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext(${`svc ${kind}`}))`;
}

/** Keeps a digest for one new key, before the key's row is written: two active keys never share one. */
export async function lockDigest(tx: Transaction, digest: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`svc key ${digest}`}, 0))`;
}

/** Orders the new links and sessions at `/me` of a key: their number is limited. */
export async function lockPasses(tx: Transaction, keyId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`svc pass ${keyId}`}, 0))`;
}

/** Orders the new sessions of the console: they count each other. */
export async function lockConsoleSessions(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('svc console sessions', 0))`;
}
