/**
 * A modelled PostgreSQL: sessions with statements that wait until the simulation serves them, one
 * lock, transactions that are seen by others once they are committed, and connections that break.
 *
 * @module
 */

import {
  END_SESSION,
  LOCK_HEAD,
  READ_OWED,
  READ_ROWS,
  WRITE_ROWS,
} from "../../../gateway/stores/postgres/sql/ledger_batch.ts";
import type { StoredTrailEntry } from "../../../gateway/domain/operators/trail.ts";
import { BEAT } from "../../../gateway/stores/postgres/sql/instances.ts";
import { InstanceTable } from "./instance_table.ts";
import { SideTables } from "./side_tables.ts";
import { RefusedStatement, Tables, type Written } from "./tables.ts";

/** The failure of a statement whose connection broke. */
export class BrokenConnection extends Error {}

/** Time after which the server ends a transaction whose client is silent, in milliseconds. */
const SILENT_TRANSACTION_MS = 2_000;

/** A statement that was answered, with its rows. */
export interface Answered {
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly rows: readonly object[];
}

interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly resolve: (rows: readonly object[]) => void;
  readonly reject: (error: Error) => void;
}

/** The server's side of a connection. */
export class Session {
  readonly number: number;
  /** Statements that were sent and not answered. */
  readonly queue: Statement[] = [];
  /** Changes of the open transaction. */
  staged: (() => void)[] | undefined;
  /** The tables of other stores as the open transaction has changed them. */
  side: SideTables | undefined;
  hasFailed = false;
  /** Statements of the open transaction. */
  answered: Answered[] = [];
  /** True once the client cannot hear any answer. */
  isCut = false;
  /** True once the server has ended it. */
  isOver = false;
  idleSinceMs = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** Sends a statement. Resolves or rejects with its answer. */
  send(text: string, parameters: readonly unknown[] = []): Promise<readonly object[]> {
    if (this.isCut || this.isOver) return Promise.reject(new BrokenConnection("It is closed"));
    return new Promise((resolve, reject) => {
      this.queue.push({ text, parameters, resolve, reject });
    });
  }
}

/** The server. */
export class ModelledDatabase {
  readonly tables = new Tables();
  /** The committed tables of other stores. */
  side = new SideTables();
  /** Number of commits that will be acknowledged and lost. */
  forgetting = 0;
  /** Number of attempts to connect that will fail. */
  refusing = 0;
  /** Called with the batch of each commit that writes one, and its entries of the audit log. */
  onCommit: (written: Written, audit: readonly StoredTrailEntry[]) => void = () => {};
  /** Called with the statements of each transaction that was committed, in the order of commits. */
  onTransaction: (statements: readonly Answered[]) => void = () => {};
  /** Called with each session of an instance that is ended, and the time since its last beat. */
  onEnd: (id: string, silentMs: number) => void = () => {};
  /** Time by which its clock was set, in milliseconds. */
  aheadMs = 0;
  /** Called with a statement that the model does not know. */
  onUnknown: (text: string) => void = () => {};
  readonly #nowMs: () => number;
  readonly #sessions = new Set<Session>();
  #locker: Session | undefined;
  /** Sessions of instances that an open transaction ends: their rows are locked. */
  readonly #ending = new Set<string>();
  readonly #line: Session[] = [];
  #numbers = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Opens a session. */
  connect(): Session {
    if (this.refusing > 0) {
      this.refusing--;
      throw new BrokenConnection("It is refused");
    }
    const session = new Session(++this.#numbers);
    this.#sessions.add(session);
    return session;
  }

  /** Sessions with a statement that can be served, oldest first. */
  get ready(): readonly Session[] {
    return [...this.#sessions].filter((session) =>
      session.queue.length > 0 && !this.#isBlocked(session)
    );
  }

  /** True for one that waits for the lock of the head, or of its instance's row. */
  #isBlocked(session: Session): boolean {
    const [statement] = session.queue;
    const isBeat = statement?.text === BEAT;
    return this.#line.includes(session) ||
      (isBeat && this.#ending.has(String(statement.parameters[0])));
  }

  /** Sessions whose client hears answers and waits for one, or has a transaction, oldest first. */
  get inUse(): readonly Session[] {
    return [...this.#sessions].filter(({ isCut, queue, staged }) =>
      !isCut && (queue.length > 0 || staged !== undefined)
    );
  }

  /** Serves the next statement of a session. */
  serve(session: Session): void {
    const [statement] = session.queue;
    if (statement === undefined || this.#isBlocked(session)) return;
    if (statement.text === LOCK_HEAD && this.#locker !== undefined && this.#locker !== session) {
      if (!session.hasFailed) return void this.#line.push(session);
    }
    session.queue.shift();
    this.#answer(session, statement);
    this.#noteIdle(session);
  }

  /** Refuses the next statement of a session; a refused commit is a rollback. */
  deny(session: Session): void {
    if (session.queue[0]?.text === "rollback") return this.serve(session);
    const statement = session.queue.shift();
    if (statement === undefined) return;
    if (statement.text === "commit") this.#finish(session, false);
    else if (session.staged !== undefined) session.hasFailed = true;
    if (!session.isCut) statement.reject(new RefusedStatement("It is denied"));
    this.#noteIdle(session);
  }

  /** Breaks a connection: the server still gets the first `kept` statements that wait. */
  cut(session: Session, kept: number): void {
    session.isCut = true;
    for (const { reject } of session.queue) reject(new BrokenConnection("It was cut"));
    // A statement that waits for the lock has arrived.
    const isInLine = this.#line.includes(session);
    session.queue.length = Math.min(session.queue.length, Math.max(kept, isInLine ? 1 : 0));
    this.#noteIdle(session);
  }

  /** Ends transactions whose clients are silent. */
  endSilent(): void {
    for (const session of [...this.#sessions]) {
      if (session.staged === undefined || session.queue.length > 0) continue;
      if (this.#nowMs() - session.idleSinceMs >= SILENT_TRANSACTION_MS) this.#end(session);
    }
  }

  /** Stops at once, and starts again: what is committed stays. */
  restart(): void {
    this.#line.length = 0;
    for (const session of [...this.#sessions]) {
      for (const { reject } of session.queue.splice(0)) {
        reject(new BrokenConnection("The server stopped"));
      }
      this.#end(session);
    }
  }

  #noteIdle(session: Session): void {
    session.idleSinceMs = this.#nowMs();
    if (session.isCut && session.queue.length === 0) this.#end(session);
  }

  /** Ends a session, and with it its transaction. */
  #end(session: Session): void {
    session.isOver = true;
    this.#sessions.delete(session);
    this.#endTransaction(session);
  }

  #answer(session: Session, { text, parameters, resolve, reject }: Statement): void {
    try {
      const rows = this.#execute(session, text, parameters);
      if (session.staged !== undefined) session.answered.push({ text, parameters, rows });
      if (!session.isCut) resolve(rows);
    } catch (error) {
      if (!(error instanceof RefusedStatement)) throw error;
      if (session.staged !== undefined) session.hasFailed = true;
      if (!session.isCut) reject(error);
    }
  }

  #execute(
    session: Session,
    text: string,
    parameters: readonly unknown[],
  ): readonly object[] {
    if (text === "commit" || text === "rollback") {
      this.#finish(session, text === "commit" && !session.hasFailed);
      return [];
    }
    if (session.hasFailed) throw new RefusedStatement("The transaction is aborted");
    if (text === "begin") {
      session.staged ??= [];
      return [];
    }
    if (text === LOCK_HEAD) {
      if (session.staged !== undefined) this.#locker = session;
      return this.tables.readHead();
    }
    if (text === READ_ROWS) return this.tables.readRows(parameters);
    if (text === WRITE_ROWS) return this.#write(session, String(parameters[0]));
    if (text === READ_OWED) return this.tables.readOwed(parameters[0] as readonly string[]);
    if (text === END_SESSION) return this.#endSession(session, parameters);
    if (InstanceTable.knows(text)) return this.#executeAlone(session, text, parameters);
    if (SideTables.knows(text)) return this.#executeBeside(session, text, parameters);
    return this.#read(text, parameters);
  }

  #executeBeside(session: Session, text: string, parameters: readonly unknown[]) {
    // Its transaction was refused: what it reads is of no use, and it writes nothing.
    const isAlone = session.staged === undefined && SideTables.reads(text);
    if (isAlone) return new SideTables(this.side).execute(text, parameters);
    if (this.#locker !== session) this.onUnknown(`without the lock of the ledger: ${text}`);
    return (session.side ??= new SideTables(this.side)).execute(text, parameters);
  }

  /** The locks of the head and of the row keep what is returned as it is until the commit. */
  #endSession(session: Session, [first, beats]: readonly unknown[]): readonly object[] {
    const id = String(first);
    const { tables } = this;
    if (!tables.instances.canEnd(id, beats as string | null)) return [];
    this.#ending.add(id);
    session.staged?.push(() => {
      for (const row of tables.waitingOf(id)) tables.waiting.delete(row.id);
      this.onEnd(id, tables.instances.end(id, this.#time));
    });
    return tables.waitingOf(id).map(({ data }) => ({ data }));
  }

  /** Executes a statement that is a transaction of its own. */
  #executeAlone(session: Session, text: string, parameters: readonly unknown[]) {
    if (session.staged !== undefined) this.onUnknown(`in a transaction: ${text}`);
    const { tables } = this;
    const rows = tables.instances.execute(text, parameters, { time: this.#time, tables });
    this.onTransaction([{ text, parameters, rows }]);
    return rows;
  }

  get #time() {
    const trueMs = this.#nowMs();
    return { trueMs, nowMs: Math.round(START_MS + trueMs + this.aheadMs) };
  }

  #write(session: Session, parameter: string): readonly object[] {
    const written = JSON.parse(parameter) as Written;
    const commit = this.tables.write(written);
    // A session that the batch ends may have been served by it.
    session.staged?.unshift(() => {
      const before = this.side.trail.length;
      this.side = session.side ?? this.side;
      commit();
      this.onCommit(written, this.side.trail.slice(before));
    });
    return [];
  }

  #read(text: string, [first]: readonly unknown[]): readonly object[] {
    const { batches, wallets, waiting } = this.tables;
    switch (text) {
      case "select 1 from journal_batch where id = $1":
        return batches.filter(({ id }) => id === first).map(() => ({}));
      case "select count(*) as count from wallet":
        return [{ count: BigInt(wallets.size) }];
      case LEFT_LINE:
        return (JSON.parse(String(first)) as string[]).filter((id) => !waiting.has(id))
          .map((id) => ({ id }));
      default:
        this.onUnknown(text);
        return [];
    }
  }

  #finish(session: Session, isCommit: boolean): void {
    const { staged = [] } = session;
    const isLost = isCommit && staged.length > 0 && this.forgetting > 0;
    if (isLost) this.forgetting--;
    else if (isCommit) {
      for (const commit of staged) commit();
      this.onTransaction(session.answered);
    }
    this.#endTransaction(session);
  }

  #endTransaction(session: Session): void {
    session.staged = undefined;
    session.side = undefined;
    session.hasFailed = false;
    session.answered = [];
    if (this.#locker !== session) return;
    this.#locker = undefined;
    this.#ending.clear();
    // Outside a transaction a statement has the lock for itself only.
    while (this.#locker === undefined) {
      const next = this.#line.shift();
      const statement = next?.queue.shift();
      if (next === undefined || statement === undefined) return;
      this.#answer(next, statement);
      this.#noteIdle(next);
    }
  }
}

/** Time of its clock at the beginning, in Unix milliseconds. */
const START_MS = Date.UTC(2026, 0, 1);

/** The question for waiting holds that have left the line. */
const LEFT_LINE = "select id from jsonb_array_elements_text($1::text::jsonb) as mine(id) " +
  "where not exists (select from waiting_hold where waiting_hold.id = mine.id)";
