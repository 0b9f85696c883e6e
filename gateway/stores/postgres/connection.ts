/**
 * Connections to PostgreSQL.
 *
 * @module
 */

import postgres from "postgres";
import { StoreError } from "../../ports/store_error.ts";

/** A pool of connections; 64-bit integers are `bigint`. */
export type Sql = postgres.Sql<{ bigint: bigint }>;
/** A transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;
/** One connection of a pool, taken out of it. */
export type Connection = postgres.ReservedSql<{ bigint: bigint }>;

/** Time to wait for a connection, in seconds. */
const CONNECT_SECONDS = 5;
/** Time between two attempts to connect, in seconds. */
const RETRY_SECONDS = 0.25;
/** Time after which the server ends a statement, in milliseconds. */
const STATEMENT_MS = 30_000;
/**
 * Time after which the server ends a transaction whose client is silent, in milliseconds: a paused
 * instance must not lock the ledger for the others.
 */
const SILENT_TRANSACTION_MS = 2_000;

/** Options of {@linkcode connect}. */
export interface ConnectOptions {
  /** Maximum connections. @default {8} */
  readonly max?: number | undefined;
  /**
   * Hears of each notice on a channel that a connection of the pool listens to. Such a pool takes no
   * arrays as parameters.
   */
  readonly onNotice?: (() => void) | undefined;
}

/**
 * Opens a pool for a URL such as `postgres://user:password@host:5432/database?sslmode=require`. No
 * connection is made before the first query.
 */
export function connect(url: string, { max = 8, onNotice }: ConnectOptions = {}): Sql {
  return postgres(url, {
    max,
    connect_timeout: CONNECT_SECONDS,
    backoff: () => RETRY_SECONDS,
    max_lifetime: null,
    onnotice: () => {},
    // Not among the declared options: `listen` of the library gives up after one failed reconnect.
    // The library leaves a failure to fetch types uncaught, and a listener passes no arrays.
    ...(onNotice === undefined ? {} : { onnotify: onNotice, fetch_types: false }),
    types: { bigint: postgres.BigInt },
    connection: {
      application_name: "svc",
      statement_timeout: STATEMENT_MS,
      idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS,
    },
  });
}

/** Runs a query; a failure becomes a {@linkcode StoreError}. */
export async function query<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw storeError(cause);
  }
}

/** Returns a failure of the database as a {@linkcode StoreError}. */
export function storeError(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  return new StoreError("The database cannot be used", { cause });
}
