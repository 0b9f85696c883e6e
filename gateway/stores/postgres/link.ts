/**
 * The link to a database that may be away: while it is, every query is refused at once, and one
 * attempt at a time finds out when it is back.
 *
 * @module
 */

import { Socket } from "node:net";
import { StoreError } from "../../ports/store_error.ts";
import type { Database, Tls } from "./database_url.ts";

/** Times between two attempts while the database is away, in milliseconds. */
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 1_000;
/** Time for which an attempt counts as in progress, in milliseconds. */
const ATTEMPT_MS = 5_000;
/** Time without any answer after which a question without one ends all connections. */
const SILENT_MS = 3_500;

/** A pooler's answer to a connection that begins with settings, whatever their names. */
const REFUSED_SETTINGS = /unsupported startup parameter(: options\b| in options)/;

/** One connection that is about to be made. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly tls: Exclude<Tls, "prefer">;
  readonly socket: Socket;
  /** Number of the choice of the host: it grows when another is chosen. */
  readonly turn: number;
  /** To be called when the database has let the connection in. */
  worked(): void;
}

/** A socket that cannot connect. */
class RefusedSocket extends Socket {
  override connect(): this {
    // Its user listens to it from the end of its own call on.
    queueMicrotask(() => this.destroy(new StoreError("The database is away")));
    return this;
  }
}

/** The connections of one instance to its database. */
export class Link {
  readonly database: Database;
  /** Called with the group of each statement that has ended, and its time in milliseconds. */
  readonly onEnded: ((group: string, ms: number) => void) | undefined;
  readonly #open = new Set<Socket>();
  /** Grows with each failure; modulo the number of hosts it is the host in use. */
  #turn = 0;
  /** Failures since the last connection that worked. */
  #failures = 0;
  #retryAtMs = -Infinity;
  #answeredAtMs = performance.now();
  #hasNoTls = false;
  /**
   * False behind a pooler that does not pass on the settings with which a connection begins: they
   * are set afterwards.
   */
  takesSettings = true;

  constructor(
    database: Database,
    { onEnded }: { readonly onEnded?: Link["onEnded"] } = {},
  ) {
    this.database = database;
    this.onEnded = onEnded;
  }

  /** True while every host has failed. */
  get isAway(): boolean {
    return this.#failures >= this.database.hosts.length;
  }

  /** Returns the next connection to make; while the database is away, one that fails at once. */
  next(): Target {
    const { hosts, tls } = this.database;
    const { host, port } = hosts[this.#turn % hosts.length] ?? { host: "localhost", port: 5432 };
    const plain = this.#hasNoTls ? "disable" : "require";
    const parts = { host, port, turn: this.#turn, tls: tls === "prefer" ? plain : tls };
    const nowMs = performance.now();
    if (this.isAway && nowMs < this.#retryAtMs) {
      return { ...parts, socket: new RefusedSocket(), worked: () => {} };
    }
    // Others are refused until this attempt has ended.
    if (this.isAway) this.#retryAtMs = nowMs + ATTEMPT_MS;
    return { ...parts, ...this.#socket() };
  }

  /** Ends all connections, and counts as away: a query that waits for an answer gets an error. */
  drop(): void {
    this.#failures = Math.max(this.#failures, this.database.hosts.length - 1);
    this.#failed(this.#turn);
    for (const socket of this.#open) socket.destroy(new Error("The database does not answer"));
    this.#open.clear();
  }

  /** Leaves a host that works, and is not wanted, unless another was chosen since that turn. */
  skip(turn: number): void {
    if (turn === this.#turn) this.#turn++;
  }

  /**
   * True for the failure of a connection that can do without TLS, or without settings to begin with:
   * the next one will.
   */
  fallsBack(error: unknown): boolean {
    if (error instanceof Error && REFUSED_SETTINGS.test(error.message)) {
      // The end of this connection, and of those that were made with it, is no failure any more.
      if (this.takesSettings) this.#turn += this.database.hosts.length;
      this.takesSettings = false;
      return true;
    }
    const isRefusal = error instanceof Error && /does not support SSL/.test(error.message);
    if (this.database.tls !== "prefer" || !isRefusal) return false;
    if (!this.#hasNoTls) this.#turn += this.database.hosts.length;
    this.#hasNoTls = true;
    return true;
  }

  /** Notes that a question was answered. */
  answered(): void {
    this.#answeredAtMs = performance.now();
  }

  /**
   * Notes that a question was not answered in its time. A database that is stopped, or behind a
   * broken network, ends no connection: all are given up, so that no caller waits for it.
   */
  unanswered(): void {
    if (performance.now() - this.#answeredAtMs > SILENT_MS) this.drop();
  }

  #socket(): Pick<Target, "socket" | "worked"> {
    const socket = new Socket();
    const turn = this.#turn;
    let hasWorked = false;
    const ended = () => {
      this.#open.delete(socket);
      if (!hasWorked) this.#failed(turn);
    };
    socket.once("error", ended);
    socket.once("close", ended);
    this.#open.add(socket);
    const worked = () => {
      hasWorked = true;
      this.#failures = 0;
    };
    return { socket, worked };
  }

  #failed(turn: number): void {
    // Attempts that began together fail together: one failure.
    if (turn !== this.#turn) return;
    const { hosts } = this.database;
    this.#turn++;
    this.#failures++;
    const beyond = Math.max(0, Math.min(this.#failures - hosts.length, 10));
    this.#retryAtMs = performance.now() + Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** beyond);
  }
}
