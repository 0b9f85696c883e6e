/**
 * Pools of the driver's clients, whose connections a {@linkcode Link} makes.
 *
 * @module
 */

import type { Socket } from "node:net";
// @ts-types="@types/pg"
import pg from "pg";
import { StoreError } from "../../ports/store_error.ts";
import type { Database } from "./database_url.ts";
import type { Link, Target } from "./link.ts";

/** Time to wait for a connection, in milliseconds. */
const CONNECT_MS = 5_000;
/** Time after which the server ends a statement, in milliseconds. */
const STATEMENT_MS = 30_000;
/** Time after which an answer is given up, with its connection, in milliseconds. */
const ANSWER_MS = 35_000;
/** Maximum wait for a free connection, beyond the time to make one, in milliseconds. */
const FREE_MS = 5_000;
/** Maximum number of those who wait for a free connection. */
const WAITING_MAX = 5_000;
/**
 * Time after which the server ends a transaction whose client is silent, in milliseconds: a paused
 * instance must not lock the ledger for the others.
 */
const SILENT_TRANSACTION_MS = 2_000;
/** Time after which the server gives up a connection that takes nothing, in milliseconds. */
const UNACKNOWLEDGED_MS = 5_000;
/** Time after which a connection without use is closed, in milliseconds. */
const IDLE_MS = 60_000;
/** Time between the first probes of a connection that is silent, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;
/** Time that connections have to close by themselves, in milliseconds. */
const CLOSE_MS = 1_000;

/** A setting without a meaning, by which a connection tells if it has its settings. */
export const SETTINGS_MARK = "svc.settings";

/** Options of {@linkcode Clients}. */
export interface ClientsOptions {
  /** Maximum clients. */
  readonly max: number;
  /** Time after which an answer is given up, with its connection, in milliseconds. */
  readonly limitMs?: number | undefined;
  /** Maximum wait for a free client, beyond the time to make one. @default {5000} */
  readonly freeMs?: number | undefined;
  /** Hears of each notice on a channel that a client listens to. */
  readonly onNotice?: ((channel: string) => void) | undefined;
}

/** A client that is taken out of its pool. */
export type Client = pg.PoolClient;

/** The clients of one pool. */
export class Clients {
  readonly #link: Link;
  readonly #limitMs: number | undefined;
  readonly #pool: pg.Pool;
  readonly #sockets = new Set<Socket>();
  /** The turns of the link in which clients were made. */
  readonly #turns = new WeakMap<object, number>();
  /** Clients that are connected to a host as the URL wants it. */
  readonly #wanted = new WeakSet<Client>();
  /** Clients that were given their settings after they connected. */
  readonly #settled = new WeakSet<Client>();
  #ending: Promise<void> | undefined;

  constructor(link: Link, { max, limitMs, freeMs, onNotice }: ClientsOptions) {
    this.#link = link;
    this.#limitMs = limitMs;
    const { database } = link;
    const connectionTimeoutMillis = limitMs ?? connectMs(database);
    const [sockets, turns, answerMs] = [this.#sockets, this.#turns, limitMs ?? ANSWER_MS];
    class LinkedClient extends pg.Client {
      constructor() {
        const target = link.next();
        super({
          ...settingsOf(database, target),
          connectionTimeoutMillis,
          query_timeout: answerMs,
        });
        // The library would look for a file of passwords, and fail uncaught without leave to.
        this.password ??= "";
        // Without a text it would look for a variable.
        if (!link.takesSettings) Reflect.set(connectionOf(this), "options", "");
        this.setTypeParser(pg.types.builtins.INT8, BigInt);
        // Its user hears of it by a query. Without a listener it would end the process.
        this.on("error", () => {});
        this.on("connect", target.worked);
        if (onNotice !== undefined) this.on("notification", ({ channel }) => onNotice(channel));
        turns.set(this, target.turn);
        sockets.add(target.socket);
        target.socket.once("close", () => sockets.delete(target.socket));
      }
    }
    const waitMs = Math.min(answerMs, connectionTimeoutMillis + (freeMs ?? FREE_MS));
    const options = { max, idleTimeoutMillis: IDLE_MS, connectionTimeoutMillis: waitMs };
    this.#pool = new pg.Pool({ ...options, Client: LinkedClient });
    // A client that is lost while it is idle has left the pool already.
    this.#pool.on("error", () => {});
  }

  /** Number of those who wait for a free client. */
  get waiting(): number {
    return this.#pool.waitingCount;
  }

  /**
   * Takes a client, connected to the first host that works and is as the URL wants it. It must be
   * released.
   */
  async take(): Promise<Client> {
    const { hosts, targetSessionAttrs: wanted } = this.#link.database;
    // More than one for each host: attempts at the same time turn the hosts on for each other. A
    // preference for a standby ends after a quarter of them.
    const rounds = wanted === "prefer-standby" ? 4 : hosts.length > 1 ? 2 : 1;
    let attempts = rounds * hosts.length;
    if (this.waiting >= WAITING_MAX) throw new StoreError("Too many queries wait for the database");
    for (;;) {
      try {
        const client = await this.#pool.connect();
        await this.#begun(client);
        const takesAny = wanted === "prefer-standby" && attempts <= 3 * hosts.length;
        if (takesAny || await this.#isWanted(client)) return client;
        client.release(true);
        this.#link.skip(this.#turns.get(client) ?? -1);
        if (--attempts <= 0) throw new StoreError(`No host of the database is ${wanted}`);
      } catch (error) {
        if (this.#link.fallsBack(error)) continue;
        if (this.#limitMs === undefined && isFullPool(error)) {
          const message = "The database is too slow: no connection has become free in time";
          throw new StoreError(message, { cause: error });
        }
        if (error instanceof StoreError || --attempts <= 0) throw error;
      }
    }
  }

  /** Sends a query. A question with a limit tells the link if the database is silent. */
  async send(client: Client, query: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      const result = await client.query(query);
      if (this.#limitMs !== undefined) this.#link.answered();
      return result;
    } catch (error) {
      this.heard(error);
      throw error;
    }
  }

  /** Tells of a statement that has ended: its group, and its time in milliseconds. */
  ended(group: string, ms: number): void {
    this.#link.onEnded?.(group, ms);
  }

  /** Tells the link of a question that was not answered in its time. */
  heard(error: unknown): void {
    if (this.#limitMs === undefined || !(error instanceof Error)) return;
    if (/timeout/i.test(error.message)) this.#link.unanswered();
  }

  /**
   * Closes all connections: those in use when they are given back, or after a time.
   *
   * @param ms Time that users of clients have. @default ms {they have all time}
   */
  end(ms?: number): Promise<void> {
    return this.#ending ??= this.#end(ms);
  }

  async #end(ms: number | undefined): Promise<void> {
    const destroy = () => {
      for (const socket of this.#sockets) socket.destroy();
    };
    const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
    const late = () => {
      destroy();
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(late, ms);
    // A client that is never given back would keep the pool for ever.
    await Promise.race([this.#pool.end(), timeIsUp]);
    clearTimeout(timer);
    const closing = setTimeout(destroy, CLOSE_MS);
    const closed = [...this.#sockets].map((socket) =>
      new Promise<void>((resolve) => socket.once("close", () => resolve()))
    );
    await Promise.all(closed);
    clearTimeout(closing);
  }

  /** Gives a new connection its settings, where a pooler took it without them. */
  async #begun(client: Client): Promise<void> {
    if (this.#link.takesSettings || this.#settled.has(client)) return;
    const settings = Object.entries(sessionOf(this.#link.database));
    try {
      for (const pair of settings) await client.query("select set_config($1, $2, false)", pair);
      this.#settled.add(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #isWanted(client: Client): Promise<boolean> {
    const wanted = this.#link.database.targetSessionAttrs;
    if (wanted === undefined || this.#wanted.has(client)) return true;
    const { rows: [row] } = await client.query(`
      select pg_is_in_recovery() as "isStandby",
        current_setting('transaction_read_only') = 'on' as "isReadOnly"
    `);
    const isFit = {
      "read-write": row?.isReadOnly === false,
      "read-only": row?.isReadOnly === true,
      "primary": row?.isStandby === false,
      "standby": row?.isStandby === true,
      "prefer-standby": row?.isStandby === true,
    }[wanted];
    if (isFit) this.#wanted.add(client);
    return isFit;
  }
}

/** True for the failure of the pool to have a client free; a new client has a limit of its own. */
function isFullPool(error: unknown): boolean {
  return error instanceof Error && /timeout exceeded when trying to connect/.test(error.message);
}

function connectMs({ connectSeconds }: Database): number {
  return connectSeconds === undefined ? CONNECT_MS : connectSeconds * 1_000;
}

/** Returns settings of a client. What the library would else take from a variable is given. */
function settingsOf(database: Database, { host, port, tls, socket }: Target): pg.ClientConfig {
  const { password } = database;
  return {
    ...{ host, port, user: database.user, database: database.name },
    ...(password === undefined ? {} : { password }),
    ssl: tls === "disable" ? false : tls === "require" ? { rejectUnauthorized: false } : { ...tls },
    ...{ sslnegotiation: "postgres", client_encoding: "UTF8" },
    application_name: database.applicationName,
    options: optionsOf(database),
    stream: () => socket,
    ...{ pipeline: true, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
  };
}

/** Returns what a client connects with, which the types of the library leave out. */
function connectionOf(client: pg.Client): object {
  const parameters: unknown = Reflect.get(client, "connectionParameters");
  if (typeof parameters !== "object" || parameters === null) throw new Error("No such parameters");
  return parameters;
}

/** Returns the settings of a connection by their names. */
function sessionOf({ session }: Database): Readonly<Record<string, string>> {
  return {
    statement_timeout: `${STATEMENT_MS}`,
    idle_in_transaction_session_timeout: `${SILENT_TRANSACTION_MS}`,
    // A process that stands still while it is sent an answer would lock the ledger for the others.
    tcp_user_timeout: `${UNACKNOWLEDGED_MS}`,
    [SETTINGS_MARK]: "on",
    ...session,
    // Batches decide by rows that others have committed while they waited for the lock.
    default_transaction_isolation: "read committed",
  };
}

function optionsOf(database: Database): string {
  return Object.entries(sessionOf(database))
    .map(([name, value]) => `-c ${name}=${escaped(value)}`).join(" ");
}

function escaped(value: string): string {
  return value.replace(/[\\\s]/g, "\\$&");
}

/** True for the failure of a statement whose connection can be used again. */
export function isConnectionWell(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR" && !isOutdated(error);
}

/** True where a prepared statement was refused because the tables have changed since. */
export function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === "RevalidateCachedQuery";
}
