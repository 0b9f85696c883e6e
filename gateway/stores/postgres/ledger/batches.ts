/**
 * Group commit: the operations that wait are decided together, in one transaction.
 *
 * @module
 */

import { StoreError } from "../../../ports/store_error.ts";
import { type Connection, type Sql, storeError } from "../connection.ts";
import { LOCK_HEAD, READ_ROWS, WRITE_ROWS } from "../sql/ledger_batch.ts";
import { textId } from "../text_id.ts";
import { BatchView, type LedgerHead, type ReadRow } from "./batch_view.ts";

/** Ids of the rows that an operation decides by. */
export interface Needs {
  readonly wallets?: readonly string[];
  readonly budgets?: readonly string[];
  readonly holds?: readonly string[];
  readonly credits?: readonly string[];
  readonly logs?: readonly string[];
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

/** A transaction that may have landed. */
class InDoubtError extends Error {}

/** Takes operations in the order of their calls, and commits those that wait together. */
export class Batches {
  readonly #sql: Sql;
  readonly #instance: string;
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

  constructor(sql: Sql, instance: string) {
    this.#sql = sql;
    this.#instance = instance;
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

  /** Commits what waits, and gives the connection back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
    this.#connection?.release();
  }

  async #drain(): Promise<void> {
    // Operations of one turn of the event loop belong together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH_MAX);
      try {
        await this.#commit(batch);
        this.health = "ok";
        for (const operation of batch) operation.resolve();
      } catch (error) {
        this.health = "failing";
        for (const operation of batch) operation.reject(error);
      }
    }
    this.#draining = undefined;
  }

  /** Commits a batch: at most two attempts, since a connection may have ended while it was idle. */
  async #commit(batch: readonly Operation[]): Promise<void> {
    for (let attempt = 1;; attempt++) {
      try {
        await this.#resolveDoubt();
        return this.onCommitted(await this.#attempt(batch));
      } catch (error) {
        this.#dropConnection();
        if (error instanceof InDoubtError) {
          if (await this.#hasLanded()) return;
        } else if (attempt === 2 || error instanceof StoreError) throw storeError(error);
      }
    }
  }

  async #attempt(batch: readonly Operation[]): Promise<BatchView> {
    const connection = this.#connection ??= await this.#sql.reserve();
    const view = await this.#begin(connection, batch);
    if (view.isInstanceEnded) {
      await connection.unsafe("rollback");
      throw new StoreError("Another instance has ended this one: start it again");
    }
    for (const { run } of batch) run(view);
    if (view.isEmpty) {
      await connection.unsafe("commit");
      return view;
    }
    const id = crypto.randomUUID();
    const parameter = view.written(id);
    this.#doubt = id;
    const writing = connection.unsafe(WRITE_ROWS, [parameter], { prepare: true });
    const committing = connection.unsafe("commit");
    // Both are sent at once: a failed write makes the commit a rollback.
    const [written, committed] = await Promise.allSettled([writing, committing]);
    if (committed.status === "rejected") {
      throw new InDoubtError("commit", { cause: committed.reason });
    }
    this.#doubt = undefined;
    if (written.status === "rejected") throw storeError(written.reason);
    return view;
  }

  async #begin(connection: Connection, batch: readonly Operation[]): Promise<BatchView> {
    const ids = (pick: (needs: Needs) => readonly string[] | undefined) => [
      ...new Set(batch.flatMap(({ needs }) => pick(needs) ?? []).map(textId)),
    ];
    const parameters = [
      ...[ids(({ wallets }) => wallets), ids(({ budgets }) => budgets)],
      ...[ids(({ holds }) => holds), ids(({ credits }) => credits), ids(({ logs }) => logs)],
      this.#instance,
    ];
    // Sent at once. The second statement sees what other instances committed before the lock.
    const [, heads, read] = await Promise.all([
      connection.unsafe("begin"),
      connection.unsafe<HeadRow[]>(LOCK_HEAD, [], { prepare: true }),
      connection.unsafe<ReadRow[]>(READ_ROWS, parameters, { prepare: true }),
    ]);
    const [row] = heads;
    if (row === undefined) throw new StoreError("The ledger has no head", { isDamage: true });
    const { batch: number, entries, at_ms: atMs, hash, logged } = row;
    const head: LedgerHead = {
      ...{ batch: Number(number), entries: Number(entries), atMs: Number(atMs), hash },
      logged: Number(logged),
    };
    return new BatchView({ head, read, instance: this.#instance });
  }

  /** Throws while it is not known whether an earlier transaction has landed. */
  async #resolveDoubt(): Promise<void> {
    if (this.#doubt !== undefined) await this.#hasLanded();
  }

  /** Finds out whether the transaction in doubt has landed. Throws if the database does not answer. */
  async #hasLanded(): Promise<boolean> {
    const id = this.#doubt;
    if (id === undefined) return false;
    for (let attempt = 1;; attempt++) {
      try {
        // The lock waits for a transaction that the server has not ended yet.
        const landed = await this.#sql.begin(async (tx) => {
          await tx.unsafe(LOCK_HEAD);
          return (await tx`select 1 from journal_batch where id = ${id}`).length > 0;
        });
        this.#doubt = undefined;
        return landed;
      } catch (cause) {
        if (attempt >= DOUBT_TRIES) {
          throw new StoreError("It is not known whether a change was stored", {
            ...{ cause, inDoubt: true },
          });
        }
        await new Promise((resolve) => setTimeout(resolve, DOUBT_RETRY_MS));
      }
    }
  }

  #dropConnection(): void {
    this.#connection?.release();
    this.#connection = undefined;
  }
}
