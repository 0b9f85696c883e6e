/**
 * The counts of keys at all instances, in PostgreSQL: changes that wait together are one transaction.
 *
 * @module
 */

import { type KeyCounts, NO_COUNTS } from "../../../domain/limits/key_limits.ts";
import type { CountsDecision, SharedCounts } from "../../../ports/shared_counts.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { type Sql, storeError, type Transaction } from "../connection.ts";
import { afterMs } from "../../../system/deadlines.ts";
import { textId } from "../text_id.ts";

/** A change that waits. */
interface Operation {
  readonly id: string;
  /** Returns the next counts; called again if the transaction is repeated. */
  run(counts: KeyCounts, nowMs: number): KeyCounts;
  resolve(): void;
  /** Absent for a correction, which waits until it is stored. */
  readonly reject?: (error: unknown) => void;
}

interface MinuteRow {
  readonly key_id: string;
  readonly requests: string | null;
  readonly tokens: string | null;
  readonly now_ms: bigint;
}

/** Maximum changes of one transaction. */
const BATCH_MAX = 400;
/** Maximum number of changes that wait; corrections wait besides. */
const QUEUED_MAX = 20_000;
/** Maximum wait of a change for its transaction, in milliseconds. */
const WAIT_MS = 10_000;
/** Attempts to store a batch: a connection may have ended while it was idle. */
const ATTEMPTS = 2;
/** Time between two attempts to store corrections, in milliseconds. */
const RETRY_MS = 500;
/** Transactions between two deletions of rows that count nothing any more. */
const BATCHES_PER_SWEEP = 1_000;

/** This instance among the others. */
export interface CountingMember {
  /** Another one after the instance was given up. */
  readonly id: string;
  /** Joins again, with a new id, after `id` was ended. @default {requests are refused} */
  renew?(id: string): Promise<void>;
}

/** Another instance has ended this one. */
class EndedError extends StoreError {}

/** Options of {@linkcode PostgresCounts}. */
export interface CountsOptions {
  readonly member: CountingMember;
  /** Hears of failures; corrections are tried again. @default {nothing hears} */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Maximum wait of a change for its transaction, in milliseconds. @default {10000} */
  readonly waitMs?: number | undefined;
}

/** Decides in process, in transactions that lock the rows of their keys. */
export class PostgresCounts implements SharedCounts {
  readonly #sql: Sql;
  readonly #member: CountingMember;
  /** Id under which the slots of this instance are stored. */
  #storedAs: string | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #waitMs: number;
  #queue: Operation[] = [];
  #draining: Promise<void> | undefined;
  /** Slots in use at this instance, by key, as far as they are stored. */
  readonly #slots = new Map<string, number>();
  /** Keys whose stored slots are unknown after a failure: they are written again. */
  readonly #doubtful = new Set<string>();
  #batches = 0;
  #isClosed = false;
  #wake = () => {};

  constructor(sql: Sql, { member, onError, waitMs = WAIT_MS }: CountsOptions) {
    this.#sql = sql;
    this.#waitMs = waitMs;
    this.#member = member;
    this.#onError = onError ?? (() => {});
  }

  change<Result>(
    keyId: string,
    decide: (counts: KeyCounts, nowMs: number) => CountsDecision<Result>,
  ): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new StoreError("The store is closed"));
    if (this.#queue.length >= QUEUED_MAX) {
      return Promise.reject(new StoreError("Too many requests wait for the counts of their keys"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let decision: CountsDecision<Result> | undefined;
    let isRefused = false;
    const callOff = afterMs(this.#waitMs, () => {
      // One that was decided in time has the outcome of its transaction, however long that takes.
      if (decision !== undefined) return;
      isRefused = true;
      reject(new StoreError(`The database is too slow: a count has waited ${this.#waitMs} ms`));
    });
    this.#submit({
      id: textId(keyId),
      run: (counts, nowMs) => isRefused ? counts : (decision = decide(counts, nowMs)).counts,
      resolve: () => {
        callOff();
        if (decision !== undefined) resolve(decision.result);
      },
      reject: (error) => {
        callOff();
        reject(error);
      },
    });
    return promise;
  }

  correct(keyId: string, correct: (counts: KeyCounts, nowMs: number) => KeyCounts): void {
    if (!this.#isClosed) this.#submit({ id: textId(keyId), run: correct, resolve: () => {} });
  }

  /** Stores what waits, in one attempt, and takes nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#draining;
  }

  #submit(operation: Operation): void {
    this.#queue.push(operation);
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    // Changes of one turn of the event loop belong together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH_MAX);
      try {
        await this.#store(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        await this.#failed(batch, error);
        if (this.#isClosed) break;
      }
    }
    for (const { reject } of this.#queue.splice(0)) reject?.(new StoreError("The store is closed"));
    this.#draining = undefined;
  }

  async #failed(batch: readonly Operation[], error: unknown): Promise<void> {
    this.#onError(error);
    for (const { id } of batch) this.#doubtful.add(id);
    for (const { reject } of batch) reject?.(storeError(error));
    const corrections = batch.filter(({ reject }) => reject === undefined);
    this.#queue.unshift(...corrections);
    const isOnlyCorrections = this.#queue.every(({ reject }) => reject === undefined);
    if (corrections.length > 0 && isOnlyCorrections && !this.#isClosed) await this.#pause();
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, RETRY_MS);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  async #store(batch: readonly Operation[]): Promise<void> {
    for (let attempt = 1;; attempt++) {
      const { id } = this.#member;
      try {
        // The slots that are stored under a former id are not counted any more.
        if (id !== this.#storedAs) {
          for (const key of this.#slots.keys()) this.#doubtful.add(key);
        }
        const slots = await this.#sql.begin((tx) => this.#attempt(tx, batch, id));
        this.#storedAs = id;
        for (const [id, used] of slots) {
          if (used === 0) this.#slots.delete(id);
          else this.#slots.set(id, used);
          this.#doubtful.delete(id);
        }
        return;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        if (error instanceof EndedError) await this.#member.renew?.(id);
      }
    }
  }

  /** Returns the slots of this instance as they are after the transaction. */
  async #attempt(
    tx: Transaction,
    batch: readonly Operation[],
    instance: string,
  ): Promise<ReadonlyMap<string, number>> {
    const ids = [...new Set([...batch.map(({ id }) => id), ...this.#doubtful])];
    const { counts, others, nowMs } = await this.#read(tx, ids, instance);
    for (const { id, run } of batch) {
      counts.set(id, run(counts.get(id) ?? NO_COUNTS, nowMs));
    }
    const slots = new Map(ids.map((id) => [
      id,
      Math.max(0, (counts.get(id)?.slots ?? 0) - (others.get(id) ?? 0)),
    ]));
    await this.#write(tx, { counts, slots, instance });
    if (++this.#batches % BATCHES_PER_SWEEP === 0) await sweep(tx);
    return slots;
  }

  async #read(tx: Transaction, ids: readonly string[], instance: string): Promise<{
    readonly counts: Map<string, KeyCounts>;
    /** Slots in use at other instances. */
    readonly others: ReadonlyMap<string, number>;
    readonly nowMs: number;
  }> {
    const names = JSON.stringify(ids);
    // Sent at once. The second statement sees what others committed before the locks.
    const [rows, used, living] = await Promise.all([
      tx<MinuteRow[]>`
        insert into key_minute as known (key_id)
        select id from jsonb_array_elements_text(${names}::text::jsonb) as id order by id
        on conflict (key_id) do update set at = clock_timestamp()
        returning key_id, requests, tokens,
          (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms
      `,
      tx<{ key_id: string; used: bigint }[]>`
        select s.key_id, sum(s.used) as used from key_slot s
        join instance i on i.id = s.instance and i.ended_at is null
        where s.instance <> ${instance}
          and s.key_id in (select jsonb_array_elements_text(${names}::text::jsonb))
        group by s.key_id
      `,
      tx`select id from instance where id = ${instance} and ended_at is null`,
    ]);
    if (living.length === 0) throw new EndedError("Another instance has ended this one");
    const others = new Map(used.map((row) => [row.key_id, Number(row.used)]));
    const counts = new Map(rows.map(({ key_id: id, requests, tokens }) => [id, {
      requests: requests === null ? NO_COUNTS.requests : JSON.parse(requests),
      tokens: tokens === null ? NO_COUNTS.tokens : JSON.parse(tokens),
      slots: (others.get(id) ?? 0) + (this.#slots.get(id) ?? 0),
    }]));
    const nowMs = Math.max(...rows.map((row) => Number(row.now_ms)));
    return { counts, others, nowMs };
  }

  async #write(
    tx: Transaction,
    { counts, slots, instance }: {
      readonly counts: ReadonlyMap<string, KeyCounts>;
      readonly slots: ReadonlyMap<string, number>;
      readonly instance: string;
    },
  ): Promise<void> {
    const changed = [...slots].filter(([id, used]) =>
      this.#doubtful.has(id) || used !== (this.#slots.get(id) ?? 0)
    );
    // A slot that is given back late limits too much for a moment; one that is taken must be durable.
    const mayBeLate = changed.every(([id, used]) => used < (this.#slots.get(id) ?? 0));
    const minutes = [...counts].map(([key_id, { requests, tokens }]) => (
      { key_id, requests: JSON.stringify(requests), tokens: JSON.stringify(tokens) }
    ));
    await Promise.all([
      tx`select set_config('synchronous_commit', ${mayBeLate ? "off" : "on"}, true)`,
      tx`
        with slot as (
          insert into key_slot (key_id, instance, used)
          select key_id, ${instance}, used
          from jsonb_to_recordset(${
        JSON.stringify(changed.map(([key_id, used]) => ({ key_id, used })))
      }::text::jsonb) as t(key_id text, used int)
          on conflict (key_id, instance) do update set used = excluded.used
        )
        update key_minute m set requests = t.requests, tokens = t.tokens
        from jsonb_to_recordset(${JSON.stringify(minutes)}::text::jsonb)
          as t(key_id text, requests text, tokens text)
        where m.key_id = t.key_id
      `,
    ]);
  }
}

/** Deletes the rows of keys that were not used for minutes, and the slots of ended instances. */
async function sweep(tx: Transaction): Promise<void> {
  await tx`
    delete from key_minute where key_id in (
      select key_id from key_minute where at < now() - interval '5 minutes' for update skip locked
    )
  `;
  await tx`
    delete from key_slot s where not exists (
      select from instance i where i.id = s.instance and i.ended_at is null
    )
  `;
}
