/**
 * Group commit: the operations that wait are decided together, in one transaction.
 *
 * @module
 */

import { StoreError } from "../../../ports/store_error.ts";
import type { HoldCommand } from "../../../domain/ledger/ledger.ts";
import type { AttemptedCommit } from "../../../ports/stores.ts";
import { type Connection, type Sql, storeError } from "../connection.ts";
import {
  END_SESSION,
  LOCK_CORRECTIONS,
  LOCK_HEAD,
  READ_KEYS,
  READ_OWED,
  READ_ROWS,
  WAITING_READ,
  WRITE_ROWS,
} from "../sql/ledger_batch.ts";
import { textId } from "../text_id.ts";
import { BatchView, type LedgerHead, type ReadRow } from "./batch_view.ts";
import type { Member } from "./member.ts";
import { decodeAmounts } from "./rows.ts";

/** Ids of the rows that an operation decides by. */
export interface Needs {
  readonly wallets?: readonly string[];
  readonly budgets?: readonly string[];
  readonly holds?: readonly string[];
  readonly credits?: readonly string[];
  /** Ids of corrections that waited. */
  readonly corrections?: readonly string[];
  /** Ids of keys that change wallets. */
  readonly movedKeys?: readonly string[];
  /** Ids of log rows that may be owed. */
  readonly logs?: readonly string[];
  /** Ids of log rows that are read if they are owed. */
  readonly owed?: readonly string[];
  /** Ids of holds whose requests' owed rows are read. */
  readonly logsOf?: readonly string[];
}

interface HeadRow {
  readonly batch: bigint;
  readonly entries: bigint;
  readonly at_ms: bigint;
  readonly hash: string;
  readonly logged: bigint;
}

interface Operation {
  readonly needs: Needs;
  /** Decides; called again if the transaction is repeated. */
  run(view: BatchView): void;
  /** Called once the transaction is durable. */
  resolve(): void;
  reject(error: unknown): void;
}

/** Maximum operations of one batch. */
const BATCH_MAX = 400;
/** Maximum number of operations that wait for a batch. */
const QUEUED_MAX = 100_000;
/** Number of attempts to find out whether a transaction has landed, and the time between them. */
const DOUBT_TRIES = 10;
const DOUBT_RETRY_MS = 100;

/** Number of times that one batch lets its instance join again. */
const RENEWALS_MAX = 2;

/** A transaction that may have landed. */
class InDoubtError extends Error {
  readonly view: BatchView;

  constructor(view: BatchView, cause: unknown) {
    super("commit", { cause });
    this.view = view;
  }
}

/** Another instance has ended the session of a batch: nothing of it was written. */
class EndedError extends StoreError {
  readonly session: string;

  constructor(session: string) {
    super("Another instance has ended this one, which was not heard of: start it again");
    this.session = session;
  }
}

/** Takes operations in the order of their calls, and commits those that wait together. */
export class Batches {
  readonly #sql: Sql;
  readonly #onTried: ((commit: AttemptedCommit) => void) | undefined;
  readonly #waitingRead: number;
  readonly #member: Member;
  #connection: Connection | undefined;
  #queue: Operation[] = [];
  #draining: Promise<void> | undefined;
  /** Id of a transaction that may have landed, until that is known. */
  #doubt: string | undefined;
  #isClosed = false;
  /** Called with the view of each durable batch. */
  onCommitted: (view: BatchView) => void = () => {};
  /** `ok`, or `failing` after a failed transaction until the next success. */
  health: "ok" | "failing" = "ok";

  constructor(
    sql: Sql,
    member: Member,
    { onTried, waitingRead = WAITING_READ }: {
      /** Called after each attempt to commit a batch. @default {no call} */
      readonly onTried?: ((commit: AttemptedCommit) => void) | undefined;
      /** Waiting holds that a batch reads of each key in a line, for tests. @default {200} */
      readonly waitingRead?: number | undefined;
    } = {},
  ) {
    this.#sql = sql;
    this.#member = member;
    this.#onTried = onTried;
    this.#waitingRead = waitingRead;
  }

  /** Number of operations that wait. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Runs an operation in the next transaction; resolves to its result once that is durable. */
  submit<T>(needs: Needs, decide: (view: BatchView) => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StoreError("The store is closed"));
    if (this.#queue.length >= QUEUED_MAX) {
      return Promise.reject(new StoreError("Too many changes wait for the database"));
    }
    return new Promise<T>((resolve, reject) => {
      let result: { readonly value: T } | { readonly error: unknown } | undefined;
      this.#queue.push({
        needs,
        reject,
        run: (view) => {
          try {
            result = { value: decide(view) };
          } catch (error) {
            result = { error };
          }
        },
        resolve: () => {
          if (result !== undefined && "value" in result) resolve(result.value);
          else reject(result?.error);
        },
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Commits what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Operations of one turn of the event loop belong together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH_MAX);
      const [sinceMs, operations] = [performance.now(), batch.length];
      const tried = (ok: boolean) =>
        this.#onTried?.({ ms: performance.now() - sinceMs, operations, ok });
      try {
        await this.#commit(batch);
        this.health = "ok";
        tried(true);
        for (const operation of batch) operation.resolve();
      } catch (error) {
        this.health = "failing";
        tried(false);
        for (const operation of batch) operation.reject(error);
      }
    }
    this.#draining = undefined;
    this.#giveBack();
  }

  /**
   * Commits a batch: at most two attempts, since a connection may have ended while it was idle. An
   * instance that was ended joins again: the decisions are then those of its new session.
   */
  async #commit(batch: readonly Operation[]): Promise<void> {
    let renewals = 0;
    for (let attempt = 1;; attempt++) {
      try {
        await this.#resolveDoubt();
        return this.onCommitted(await this.#attempt(batch));
      } catch (error) {
        if (error instanceof EndedError && renewals++ < RENEWALS_MAX) {
          this.#giveBack();
          await this.#renew(error);
          attempt--;
          continue;
        }
        this.#dropConnection();
        if (error instanceof InDoubtError) {
          if (await this.#hasLanded()) return this.onCommitted(error.view);
        } else if (attempt >= 2 || error instanceof StoreError) throw storeError(error);
      }
    }
  }

  async #renew(error: EndedError): Promise<void> {
    if (this.#member.renew === undefined) throw error;
    await this.#member.renew(error.session);
  }

  async #attempt(batch: readonly Operation[]): Promise<BatchView> {
    const session = this.#member.id;
    const connection = this.#connection ??= await this.#sql.reserve();
    const view = await this.#begin(connection, { batch, session });
    if (view.isInstanceEnded) {
      await connection.unsafe("rollback");
      throw new EndedError(session);
    }
    for (const { run } of batch) run(view);
    if (view.isEmpty) {
      await connection.unsafe("commit");
      return view;
    }
    for (const companion of view.companions) await companion(connection);
    const id = crypto.randomUUID();
    const parameter = view.written(id);
    this.#doubt = id;
    const ending = view.ending.map(({ id, beats }) =>
      connection.unsafe<{ data: string }[]>(END_SESSION, [id, beats])
    );
    const writing = connection.unsafe(WRITE_ROWS, [parameter], { prepare: true });
    const committing = connection.unsafe("commit");
    // All are sent at once: a failed write makes the commit a rollback.
    const [written, committed, ...ended] = await Promise.allSettled([
      writing,
      committing,
      ...ending,
    ]);
    if (committed.status === "rejected") {
      throw new InDoubtError(view, committed.reason);
    }
    this.#doubt = undefined;
    if (written.status === "rejected") throw storeError(written.reason);
    for (const { data } of ended.flatMap((one) => one.status === "fulfilled" ? one.value : [])) {
      // Those behind the holds of an ended session may need less.
      view.lines.unserved.add(decodeAmounts<HoldCommand>(data).walletId);
    }
    return view;
  }

  async #begin(
    connection: Connection,
    { batch, session }: { readonly batch: readonly Operation[]; readonly session: string },
  ): Promise<BatchView> {
    const ids = (pick: (needs: Needs) => readonly string[] | undefined) => [
      ...new Set(batch.flatMap(({ needs }) => pick(needs) ?? []).map(textId)),
    ];
    const parameters = [
      ...[ids(({ wallets }) => wallets), ids(({ budgets }) => budgets)],
      ...[ids(({ holds }) => holds), ids(({ credits }) => credits), ids(({ logs }) => logs)],
      ...[session, ids(({ logsOf }) => logsOf), this.#waitingRead],
    ];
    const owed = ids(({ owed }) => owed);
    const corrections = ids(({ corrections }) => corrections);
    const keys = ids(({ movedKeys }) => movedKeys);
    const rare = ([[READ_OWED, owed], [LOCK_CORRECTIONS, corrections], [READ_KEYS, keys]] as const)
      .filter(([, some]) => some.length > 0);
    // Sent at once. The second statement sees what other instances committed before the lock.
    const [, heads, read, ...others] = await Promise.all([
      connection.unsafe("begin"),
      connection.unsafe<HeadRow[]>(LOCK_HEAD, [], { prepare: true }),
      connection.unsafe<ReadRow[]>(READ_ROWS, parameters, { prepare: true }),
      ...rare.map(([text, some]) => connection.unsafe<ReadRow[]>(text, [some])),
    ]);
    const [row] = heads;
    if (row === undefined) throw new StoreError("The ledger has no head", { isDamage: true });
    const { batch: number, entries, at_ms: atMs, hash, logged } = row;
    const head: LedgerHead = {
      ...{ batch: Number(number), entries: Number(entries), atMs: Number(atMs), hash },
      logged: Number(logged),
    };
    return new BatchView({ head, read: [...read, ...others.flat()], instance: session });
  }

  /** Throws while it is not known whether an earlier transaction has landed. */
  async #resolveDoubt(): Promise<void> {
    if (this.#doubt === undefined) return;
    try {
      await this.#hasLanded(1);
    } catch (cause) {
      const message = "It is not known whether an earlier change was stored";
      throw new StoreError(message, { cause, inDoubt: true, untried: true });
    }
  }

  /** Finds out whether the transaction in doubt has landed. Throws if the database does not answer. */
  async #hasLanded(tries = DOUBT_TRIES): Promise<boolean> {
    const id = this.#doubt;
    if (id === undefined) return false;
    for (let attempt = 1;; attempt++) {
      try {
        const landed = await this.#isStored(id);
        this.#doubt = undefined;
        return landed;
      } catch (cause) {
        if (attempt >= tries) {
          throw new StoreError("It is not known whether a change was stored", {
            ...{ cause, inDoubt: true },
          });
        }
        await new Promise((resolve) => setTimeout(resolve, DOUBT_RETRY_MS));
      }
    }
  }

  /** Asks on a connection beyond the pool: the answer of every call waits for it. */
  async #isStored(id: string): Promise<boolean> {
    const connection = await this.#sql.reserve();
    try {
      await connection.unsafe("begin");
      // The lock waits for a transaction that the server has not ended yet.
      await connection.unsafe(LOCK_HEAD);
      const rows = await connection.unsafe("select 1 from journal_batch where id = $1", [id]);
      await connection.unsafe("commit");
      return rows.length > 0;
    } catch (error) {
      // Fails where the connection is lost, and with it the transaction.
      await connection.unsafe("rollback").catch(() => {});
      throw error;
    } finally {
      connection.release();
    }
  }

  /** Returns the connection to the pool: one that nothing uses may end unnoticed. */
  #giveBack(): void {
    this.#connection?.release();
    this.#connection = undefined;
  }

  /** Gives the connection back without a transaction: the next query on it is somebody else's. */
  #dropConnection(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    // Fails where the connection is lost, and with it the transaction.
    connection?.unsafe("rollback").catch(() => {});
    connection?.release();
  }
}
