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

/** A pool of connections. */
export class ModelledPool {
  readonly #database: ModelledDatabase;
  readonly #accuse: Accuse;
  #free: Session[] = [];
  readonly #all = new Set<Session>();
  #isDead = false;

  constructor(database: ModelledDatabase, accuse: Accuse) {
    this.#database = database;
    this.#accuse = accuse;
  }

  /** Returns the pool as the gateway's code takes it. */
  get sql(): Sql {
    return Object.assign(templates((text, values) => this.#once(text, values)), {
      reserve: () => this.#reserve(),
      begin: (run: (tx: unknown) => Promise<unknown>) => this.#begin(run),
      unsafe: (text: string, values?: readonly unknown[]) => this.#once(text, values ?? []),
    }) as unknown as Sql;
  }

  /** Kills the process: its connections break, and nothing is answered any more. */
  kill(kept: (session: Session) => number): void {
    this.#isDead = true;
    for (const session of this.#all) {
      if (!session.isCut && !session.isOver) this.#database.cut(session, kept(session));
    }
  }

  /** Takes a free connection, or makes one. A dead process waits forever. */
  async #take(): Promise<Session> {
    await Promise.resolve();
    if (this.#isDead) return await new Promise(() => {});
    for (let session = this.#free.pop(); session !== undefined; session = this.#free.pop()) {
      if (!session.isCut && !session.isOver) return session;
    }
    const session = this.#database.connect();
    this.#all.add(session);
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
    try {
      return await session.send(text, values);
    } catch (error) {
      // A killed process hears nothing, not even of its connections.
      return this.#isDead ? await new Promise(() => {}) : Promise.reject(error);
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
