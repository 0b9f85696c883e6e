/**
 * One process's pool of connections to the modelled database, as far as the ledger uses it.
 *
 * @module
 */

import type { Sql } from "../../../gateway/stores/postgres/connection.ts";
import { type Sent, Statement } from "../../../gateway/stores/postgres/statement.ts";
import type { Accuse } from "../books.ts";
import type { ModelledDatabase, Session } from "./database.ts";

type Rows = Promise<readonly object[]>;

/** The side of one process: its pools of connections, which it may lose or stand still with. */
export class ModelledClient {
  readonly name: string;
  readonly #database: ModelledDatabase;
  readonly #accuse: Accuse;
  readonly #sessions = new Set<Session>();
  #isDead = false;
  #standing: PromiseWithResolvers<void> | undefined;

  constructor(
    name: string,
    { database, accuse }: { readonly database: ModelledDatabase; readonly accuse: Accuse },
  ) {
    this.name = name;
    this.#database = database;
    this.#accuse = accuse;
  }

  /** True once the process is killed. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** True while the process stands still. */
  get isPaused(): boolean {
    return this.#standing !== undefined;
  }

  /** Opens a pool, whose answers are given up after a time. */
  pool(limitMs?: number): ModelledPool {
    const [database, accuse] = [this.#database, this.#accuse];
    return new ModelledPool(this, { database, accuse, sessions: this.#sessions, limitMs });
  }

  /** Kills the process: its connections break, and nothing is answered any more. */
  kill(kept: number): void {
    this.#isDead = true;
    for (const session of this.#sessions) {
      if (!session.isCut && !session.isOver) this.#database.cut(session, kept);
    }
  }

  /** Stops the process, as SIGSTOP does: it sends nothing, and hears nothing. */
  pause(): void {
    this.#standing ??= Promise.withResolvers();
  }

  /** Lets it go on. */
  resume(): void {
    this.#standing?.resolve();
    this.#standing = undefined;
  }

  /** Resolves once the process runs; never for a dead one. */
  async running(): Promise<void> {
    while (this.#standing !== undefined) await this.#standing.promise;
    if (this.#isDead) await new Promise(() => {});
  }
}

/** A pool of connections. */
class ModelledPool {
  readonly #client: ModelledClient;
  readonly #database: ModelledDatabase;
  readonly #accuse: Accuse;
  readonly #limitMs: number | undefined;
  #free: Session[] = [];
  /** All connections of the process. */
  readonly #sessions: Set<Session>;

  constructor(
    client: ModelledClient,
    { database, accuse, sessions, limitMs }: {
      readonly database: ModelledDatabase;
      readonly accuse: Accuse;
      readonly sessions: Set<Session>;
      readonly limitMs: number | undefined;
    },
  ) {
    this.#client = client;
    this.#database = database;
    this.#accuse = accuse;
    this.#sessions = sessions;
    this.#limitMs = limitMs;
  }

  /** Returns the pool as the gateway's code takes it. */
  get sql(): Sql {
    return Object.assign(templates((text, values) => this.#once(text, values)), {
      reserve: () => this.#reserve(),
      begin: (run: (tx: unknown) => Promise<unknown>) => this.#begin(run),
      end: () => this.#end(),
      unsafe: (text: string, values?: readonly unknown[]) => this.#once(text, values ?? []),
    }) as unknown as Sql;
  }

  /** Closes the connections that are free. */
  #end(): Promise<void> {
    for (const session of this.#free.splice(0)) this.#database.cut(session, 0);
    return Promise.resolve();
  }

  /** Takes a free connection, or makes one. A dead process waits forever. */
  async #take(): Promise<Session> {
    await this.#client.running();
    for (let session = this.#free.pop(); session !== undefined; session = this.#free.pop()) {
      if (!session.isCut && !session.isOver) return session;
    }
    const session = this.#database.connect();
    this.#sessions.add(session);
    return session;
  }

  #release(session: Session): void {
    if (session.isCut || session.isOver) return;
    const last = session.queue.at(-1)?.text;
    const isEnding = last === "rollback" || last === "commit";
    if (!isEnding && (session.staged !== undefined || session.queue.length > 0)) {
      this.#accuse("a connection goes back without a transaction", `session ${session.number}`);
    }
    this.#free.push(session);
  }

  async #send(session: Session, text: string, values: readonly unknown[] = []): Rows {
    const { isPaused, isDead } = this.#client;
    if (isPaused || isDead) await this.#client.running();
    const answer = session.send(text, values);
    // The client closes a connection that does not answer; the server gets what was sent.
    const timer = this.#limitMs === undefined
      ? undefined
      : setTimeout(() => this.#database.cut(session, Infinity), this.#limitMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      // A process hears nothing while it stands still, and never once it is killed.
      await this.#client.running();
    }
  }

  async #once(text: string, values: readonly unknown[]): Rows {
    const session = await this.#take();
    const rows = await this.#send(session, text, values);
    this.#release(session);
    return rows;
  }

  async #reserve() {
    const session = await this.#take();
    const send = (text: string, values?: readonly unknown[]) => this.#send(session, text, values);
    return Object.assign(templates(send), {
      unsafe: send,
      release: () => this.#release(session),
    });
  }

  async #begin<T>(run: (tx: unknown) => Promise<T>): Promise<T> {
    const session = await this.#take();
    const send = (text: string, values: readonly unknown[] = []) =>
      this.#send(session, text, values);
    try {
      await send("begin");
      const result = await run(Object.assign(templates(send), { unsafe: send }));
      await send("commit");
      return result;
    } catch (error) {
      await send("rollback").catch(() => {});
      throw error;
    } finally {
      this.#release(session);
    }
  }
}

/** Takes statements as templates, as the gateway's connections do: each text becomes one line. */
function templates(send: (text: string, values: readonly unknown[]) => Rows) {
  const sendOne = async ({ text, values }: Sent) => {
    const rows = await send(text.replaceAll(/\s+/g, " ").trim(), values);
    return Object.assign(rows, { count: "count" in rows ? Number(rows.count) : rows.length });
  };
  return (texts: TemplateStringsArray, ...values: readonly unknown[]) =>
    new Statement<readonly object[]>(sendOne, { texts, values });
}
