/**
 * Connections to PostgreSQL.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import { type Client, Clients, isConnectionWell, isOutdated } from "./clients.ts";
import { databaseOf } from "./database_url.ts";
import { Link } from "./link.ts";
import { Notices } from "./notices.ts";
import { type Rows, type Sent, Statement } from "./statement.ts";
import { statementGroup } from "./statement_group.ts";

/** Options for one statement. */
export interface SendOptions {
  /** Planned once for each connection, and used again. @default {false} */
  readonly prepare?: boolean | undefined;
  /** Time after which its answer is given up, in milliseconds. @default {that of the pool} */
  readonly limitMs?: number | undefined;
}

/** A row of an unstated type. */
type Row = Readonly<Record<string, unknown>>;

/** Takes statements; 64-bit integers of their answers are `bigint`. */
export interface Asker {
  /** Sends a template, as a prepared statement, when it is first waited for. */
  <T extends readonly object[] = readonly Row[]>(
    texts: TemplateStringsArray,
    ...values: readonly unknown[]
  ): Statement<T>;
  /** Sends a text at once; with values it has numbered parameters. */
  unsafe<T extends readonly object[] = readonly Row[]>(
    text: string,
    values?: readonly unknown[],
    options?: SendOptions,
  ): Promise<Rows<T>>;
}

/** A transaction. */
export type Transaction = Asker;

/** One connection, taken out of its pool. */
export interface Connection extends Asker {
  /** Gives it back; one that is lost, or in a transaction, is closed. */
  release(): void;
}

/** A pool of connections. */
export interface Sql extends Asker {
  /** Runs work in a transaction, which is rolled back if it throws. */
  begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Reads one state of the database by several statements. */
  beginReading<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Takes a connection, beyond the maximum of the pool. */
  reserve(): Promise<Connection>;
  /** Calls a function with each notice on a channel. */
  listen(channel: string, tell: () => void): Promise<{ unlisten(): Promise<void> }>;
  /** Number of queries that wait for a free connection. */
  readonly waiting: number;
  /** Closes all connections: those in use when they are free, or after a time in seconds. */
  end(options?: { readonly timeout?: number }): Promise<void>;
}

/** Options of {@linkcode connect}. */
export interface ConnectOptions {
  /** Maximum connections. @default {8} */
  readonly max?: number | undefined;
  /**
   * Time after which an answer is given up, with its connection, in milliseconds. Such a pool tells
   * the link when the database is silent.
   *
   * @default {35000}
   */
  readonly limitMs?: number | undefined;
  /** Maximum wait for a free connection, in milliseconds, beyond the time to make one. @default {5000} */
  readonly freeMs?: number | undefined;
  /** Hears of each notice on a channel that a connection of the pool listens to. */
  readonly onNotice?: (() => void) | undefined;
}

/**
 * Opens a pool for a database, or a URL such as `postgres://user:password@host:5432/database`. No
 * connection is made before the first query.
 *
 * @throws {StoreError} When the URL cannot be used.
 */
export function connect(to: string | Link, options: ConnectOptions = {}): Sql {
  const link = typeof to === "string" ? new Link(databaseOf(to)) : to;
  const { max = 8, limitMs, freeMs, onNotice } = options;
  const clients = new Clients(link, { max, limitMs, freeMs, onNotice });
  const reserved = new Clients(link, { max: Infinity, limitMs });
  const notices = new Notices(link);
  const once = async <T extends readonly object[]>(sent: Sent, how: SendOptions) => {
    const connection = await taken(clients);
    try {
      return await connection.send<T>(sent, how);
    } finally {
      connection.release();
    }
  };
  const current = <T extends readonly object[]>(sent: Sent, how: SendOptions) =>
    once<T>(sent, how).catch((error) => {
      if (!isOutdated(error)) throw error;
      return once<T>(sent, { ...how, prepare: false });
    });
  const begin = async <T>(how: string, work: (tx: Transaction) => Promise<T>) =>
    await transaction(await taken(clients), { how, work });
  const pool = Object.assign(asker(current), {
    begin: <T>(work: (tx: Transaction) => Promise<T>) => begin("begin", work),
    beginReading: <T>(work: (tx: Transaction) => Promise<T>) =>
      begin("begin isolation level repeatable read, read only", work),
    reserve: async () => {
      const { send, release } = await taken(reserved);
      return Object.assign(asker(send), { release });
    },
    listen: (channel: string, tell: () => void) => notices.listen(channel, tell),
    end: async ({ timeout }: { readonly timeout?: number } = {}) => {
      const ms = timeout === undefined ? undefined : timeout * 1_000;
      await notices.close();
      await Promise.all([clients.end(ms), reserved.end(ms)]);
    },
    waiting: 0,
  });
  return Object.defineProperty(pool, "waiting", { get: () => clients.waiting });
}

/** Sends a statement. The type of the rows is what the caller states. */
type Send = <T extends readonly object[]>(sent: Sent, how: SendOptions) => Promise<Rows<T>>;

/** A connection for one user. */
interface Taken {
  send: Send;
  release(): void;
}

async function taken(clients: Clients): Promise<Taken> {
  let client: Client;
  try {
    client = await clients.take();
  } catch (error) {
    clients.heard(error);
    throw error;
  }
  let isWell = true;
  return {
    send: async <T extends readonly object[]>(
      { text, values }: Sent,
      { prepare = false, limitMs }: SendOptions,
    ) => {
      const { name, group } = knownOf(text);
      const sinceMs = performance.now();
      try {
        const { rows, rowCount } = await clients.send(client, {
          ...{ text, values },
          ...(prepare ? { name } : {}),
          ...(limitMs === undefined ? {} : { query_timeout: limitMs }),
        });
        return Object.assign(rows ?? [], { count: rowCount ?? 0 }) as unknown as Rows<T>;
      } catch (error) {
        isWell &&= isConnectionWell(error);
        throw error;
      } finally {
        clients.ended(group, performance.now() - sinceMs);
      }
    },
    release: () => client.release(!isWell || client.getTransactionStatus() !== "I"),
  };
}

async function transaction<T>(
  { send, release }: Taken,
  { how, work }: { readonly how: string; readonly work: (tx: Transaction) => Promise<T> },
): Promise<T> {
  const run = (text: string) => send({ text, values: [] }, {});
  try {
    await run(how);
    const result = await work(asker(send));
    await run("commit");
    return result;
  } catch (error) {
    // A lost connection has ended the transaction.
    await run("rollback").catch(() => {});
    throw error;
  } finally {
    release();
  }
}

function asker(send: Send): Asker {
  const ask = <T extends readonly object[]>(
    texts: TemplateStringsArray,
    ...values: readonly unknown[]
  ) => new Statement<T>((sent) => send<T>(sent, { prepare: true }), { texts, values });
  return Object.assign(ask, {
    unsafe: <T extends readonly object[]>(
      text: string,
      values: readonly unknown[] = [],
      how: SendOptions = {},
    ) => send<T>({ text, values: [...values] }, how),
  });
}

/** Facts about a text that are found once. */
interface Known {
  /** Its name as a prepared statement: the same on each connection. */
  readonly name: string;
  readonly group: string;
}

const texts = new Map<string, Known>();

function knownOf(text: string): Known {
  let known = texts.get(text);
  if (known === undefined) {
    known = { name: `svc_${texts.size + 1}`, group: statementGroup(text) };
    texts.set(text, known);
  }
  return known;
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
