/**
 * Opens the stores of a gateway in a PostgreSQL database that other instances may share.
 *
 * @module
 */

import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import { StoreError } from "../../ports/store_error.ts";
import type { AttemptedCommit, Stores } from "../../ports/stores.ts";
import type { LogRetention } from "../kv/log/request_log.ts";
import type { BlobRetention } from "../kv/values/blobs.ts";
import { PostgresCatalogStore } from "./catalogs.ts";
import { Changes } from "./changes/changes.ts";
import { connect, query, type Sql } from "./connection.ts";
import { postgresCopying } from "./copying.ts";
import { databaseOf } from "./database_url.ts";
import { PostgresCallerFiles } from "./files/files.ts";
import { PostgresEmbeddingPins } from "./keys/embedding_pins.ts";
import { PostgresKeyStore } from "./keys/keys.ts";
import { PostgresPasses } from "./keys/passes.ts";
import { PostgresAdditions } from "./learning/additions.ts";
import { PostgresAudits } from "./learning/audits.ts";
import { PostgresSnapshots } from "./learning/snapshots.ts";
import { PostgresVotes } from "./learning/votes.ts";
import { Batches } from "./ledger/batches.ts";
import { PostgresLedger } from "./ledger/ledger.ts";
import { PostgresRequestLog } from "./log/request_log.ts";
import { Instance } from "./instances/instance.ts";
import { Link } from "./link.ts";
import { resultOf } from "../verification_result.ts";
import { PostgresCounts } from "./limits/shared_counts.ts";
import { PostgresCallerMemory } from "./memory/caller_memory.ts";
import { migrate } from "./migrate.ts";
import { PostgresNotices } from "./notices/notices.ts";
import { PostgresCorrections } from "./operators/corrections.ts";
import { PostgresOperators } from "./operators/operators.ts";
import { PostgresTrail } from "./operators/trail.ts";
import { type PassageLimits, PostgresPassageStore } from "./passages/passages.ts";
import { assertSession } from "./pooler.ts";
import { PostgresSettings } from "./settings.ts";
import { takeLock } from "./sql/locks.ts";
import { PostgresConsoleSessions } from "./sessions/console_sessions.ts";
import { Upkeep } from "./upkeep.ts";
import { PostgresBlobs } from "./values/blobs.ts";
import { PostgresResponses, type ResponseRetention } from "./values/responses.ts";

/** Options of {@linkcode openPostgresStores}. */
export interface PostgresStoresOptions {
  readonly clock: Clock;
  /** Retention of the request log. */
  readonly logRetention?: LogRetention | undefined;
  /** Retention of files behind signed links. */
  readonly blobRetention?: BlobRetention | undefined;
  /** Retention of stored responses. */
  readonly responseRetention?: ResponseRetention | undefined;
  /** Limits of vector stores. */
  readonly passageLimits?: PassageLimits | undefined;
  /** Limits of callers' files. */
  readonly callerFileLimits?: { readonly maxBytes?: number | undefined } | undefined;
  /** Called after each attempted commit of the ledger. @default {no call} */
  readonly onTried?: ((commit: AttemptedCommit) => void) | undefined;
  /**
   * Called with the group of each statement that has ended, and its time in milliseconds.
   *
   * @default {no call}
   */
  readonly onStatement?: ((group: string, ms: number) => void) | undefined;
  /** Called when this machine's clock is more than 5 s ahead of the database's, or behind. @default {no call} */
  readonly onApart?: ((aheadMs: number) => void) | undefined;
  /** Called with failures of background work, which is tried again. @default {no call} */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Time that work under the lock of {@linkcode Stores.exclusively} may take between two statements, in milliseconds. */
const EXCLUSIVE_MS = 120_000;
/** Time to wait for this lock, in milliseconds: several instances may each hold it for a while. */
const EXCLUSIVE_WAIT_MS = 3_600_000;

/** Time that queries have to end when the stores are closed, in seconds. */
const CLOSE_SECONDS = 5;

/** The parts of opened stores. */
interface Parts {
  readonly sql: Sql;
  readonly instance: Instance;
  readonly batches: Batches;
  readonly changes: Changes;
  readonly catalogs: PostgresCatalogStore;
  readonly ledger: PostgresLedger;
  readonly log: PostgresRequestLog;
  readonly upkeep: Upkeep;
  readonly memory: PostgresCallerMemory;
  readonly counts: PostgresCounts;
}

/**
 * Opens the stores in the database that a URL names, and brings its tables to the present version.
 *
 * @throws {StoreError} When the database cannot be used, or was migrated by a newer version.
 */
export async function openPostgresStores(
  url: string,
  options: PostgresStoresOptions,
): Promise<Stores> {
  const { clock, onError } = options;
  const link = new Link(databaseOf(url), { onEnded: options.onStatement });
  const sql = connect(link);
  const closing: (() => Promise<void>)[] = [() => sql.end({ timeout: CLOSE_SECONDS })];
  try {
    await assertSession(sql, link);
    await migrate(sql);
    const changes = await Changes.open(link, { clock, onError });
    closing.unshift(() => changes.close());
    return await openStores({ sql, changes, link, closing }, options);
  } catch (error) {
    for (const close of closing) await close();
    throw error;
  }
}

async function openStores(
  { sql, changes, link, closing }: Pick<Parts, "sql" | "changes"> & {
    readonly link: Link;
    /** Called in this order if the opening fails later. */
    readonly closing: (() => Promise<void>)[];
  },
  options: PostgresStoresOptions,
): Promise<Stores> {
  const { clock, logRetention, responseRetention, passageLimits, onTried, onError } = options;
  const nowMs = () => clock.nowMs();
  const instance = await Instance.join(link, { onError, nowMs, onApart: options.onApart });
  closing.unshift(() => instance.leave());
  const batches = new Batches(sql, instance, { onTried });
  const ledger = new PostgresLedger(sql, batches);
  await ledger.count();
  instance.reapThrough(batches);
  const log = new PostgresRequestLog(sql, batches, { nowMs, retention: logRetention });
  const catalogs = await PostgresCatalogStore.open(sql, changes);
  const keys = await PostgresKeyStore.open(sql, changes);
  const passages = await PostgresPassageStore.open(sql, changes, passageLimits);
  const settings = new PostgresSettings(sql);
  changes.watch(settings);
  const blobs = new PostgresBlobs(sql, { nowMs, ...options.blobRetention });
  const responses = new PostgresResponses(sql, { nowMs, retention: responseRetention });
  const upkeep = new Upkeep({ ledger, log, blobs, responses }, onError);
  const memory = new PostgresCallerMemory(sql, { onError });
  const counts = new PostgresCounts(sql, { member: instance, onError });
  const parts = {
    ...{ sql, instance, batches, changes, catalogs, ledger, log, upkeep, memory, counts },
  };
  const alone = storesAlone(sql);
  const { votes, auditStore } = alone;
  const [operators, trail] = [new PostgresOperators(sql), new PostgresTrail(sql)];
  const corrections = new PostgresCorrections(sql, { batches, keys });
  const stored = { log, operators, corrections, trail, settings, votes, auditStore };
  const copied = { ...stored, blobs, responses };
  return {
    ...{ ledger, keys, catalogs, log, blobs, responses, passages, settings, ...alone },
    snapshots: new PostgresSnapshots(sql, changes),
    copying: postgresCopying({ sql, batches, instance }, copied),
    noticeStore: new PostgresNotices(sql, instance),
    callerFiles: new PostgresCallerFiles(sql, options.callerFileLimits),
    corrections,
    shared: {
      ...{ memory, counts, additions: new PostgresAdditions(sql, instance) },
      consoleSessions: new PostgresConsoleSessions(sql),
      instance: () => instance.number,
    },
    operatorStore: operators,
    trailStore: trail,
    ...stateOf(parts),
    exclusively: (work) => exclusively(sql, work),
    watchCatalog: (tell: (catalog: Catalog) => void) => catalogs.watch(tell),
    watchSettings: (refresh) => settings.watch(refresh),
    watchLoss: (tell) => instance.onLost(tell),
    verify: () => resultOf(ledger.verification()),
    verification: () => ledger.verification(),
    close: closerOf(parts),
  };
}

/** The stores that use nothing but the pool. */
function storesAlone(sql: Sql) {
  return {
    votes: new PostgresVotes(sql),
    auditStore: new PostgresAudits(sql),
    passes: new PostgresPasses(sql),
    embeddingPins: new PostgresEmbeddingPins(sql),
  };
}

function stateOf(
  { sql, batches, instance }: Parts,
): Pick<
  Stores,
  "health" | "trouble" | "probe" | "queued" | "queriesWaiting" | "clockAheadMs" | "notices"
> {
  return {
    health: () => instance.isLost ? "failing" : batches.health,
    trouble: () => Promise.resolve(undefined),
    probe: async () => {
      if (instance.isLost) throw new StoreError("Another instance has ended this one");
      await query(sql`update ledger_head set batch = batch where false`);
    },
    queued: () => batches.queued,
    queriesWaiting: () => sql.waiting,
    clockAheadMs: () => instance.clockAheadMs,
    notices: () => [],
  };
}

/** Runs work under a lock of the database, which ends with the process or its connection. */
async function exclusively<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const { result } = await sql.begin(async (tx) => {
    await query(tx`select set_config('idle_in_transaction_session_timeout', ${EXCLUSIVE_MS}, true),
      set_config('statement_timeout', '0', true)`);
    await query(takeLock(tx, "exclusive", { limitMs: EXCLUSIVE_WAIT_MS }));
    return { result: await work() };
  });
  return result;
}

function closerOf(parts: Parts) {
  const { sql, instance, batches, changes, ledger, log, upkeep, memory, counts } = parts;
  const close = async () => {
    await Promise.all([memory.close(), counts.close()]);
    await ledger.close();
    await upkeep.close();
    await log.close();
    await instance.leave();
    await batches.close();
    await changes.close();
    await sql.end({ timeout: CLOSE_SECONDS });
  };
  let closing: Promise<void> | undefined;
  return () => closing ??= close();
}
