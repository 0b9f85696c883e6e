/**
 * Tells the watchers of this instance of rows that any instance has logged. A notice of the database
 * wakes it; it looks each second, too, since notices can be lost.
 *
 * @module
 */

import type { RequestRecord } from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { decodeRecord } from "../../kv/log/log_line.ts";
import { query, type Sql } from "../connection.ts";
import type { Batches } from "../ledger/batches.ts";
import { LOG_CHANNEL } from "../sql/log_parts.ts";

/** Time between two looks without a notice, in milliseconds. */
const LOOK_MS = 1_000;
/** Maximum rows of one read. */
const ROWS_READ = 500;

type Tell = (record: RequestRecord) => void;

/** The watchers of the log. The database is asked only while there are any. */
export class LogWatch {
  readonly #sql: Sql;
  readonly #batches: Batches;
  readonly #watchers = new Set<Watcher>();
  #following: Promise<void> | undefined;
  #wake: () => void = () => {};
  #isWoken = false;

  constructor(sql: Sql, batches: Batches) {
    this.#sql = sql;
    this.#batches = batches;
  }

  /** Calls `tell` for every row that is logged from now on, in order. The returned function ends that. */
  watch(tell: Tell): () => void {
    const watcher = new Watcher(this.#batches, tell);
    this.#watchers.add(watcher);
    this.#following ??= this.#follow();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#wakeUp();
    };
  }

  /** Ends all watching. */
  async close(): Promise<void> {
    this.#watchers.clear();
    this.#wakeUp();
    await this.#following;
  }

  async #follow(): Promise<void> {
    let unlisten: (() => Promise<void>) | undefined;
    try {
      while (this.#watchers.size > 0) {
        try {
          unlisten ??= (await query(this.#sql.listen(LOG_CHANNEL, () => this.#wakeUp()))).unlisten;
          await this.#look();
        } catch (error) {
          // The database is away: the rows are read when it is back.
          if (!(error instanceof StoreError)) throw error;
        }
        await this.#sleep();
      }
    } finally {
      this.#following = undefined;
      await unlisten?.().catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const placed = await Promise.all([...this.#watchers].map((one) => one.begin()));
    let last = Math.min(...placed);
    let rows: readonly { readonly number: bigint; readonly line: string }[];
    do {
      rows = await query(this.#sql<{ number: bigint; line: string }[]>`
        select number, line from request_log where number > ${last}
        order by number limit ${ROWS_READ}
      `);
      for (const { number, line } of rows) {
        last = Number(number);
        const record = decodeRecord(line);
        for (const watcher of this.#watchers) watcher.take(last, record);
      }
    } while (rows.length === ROWS_READ && this.#watchers.size > 0);
  }

  #wakeUp(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #sleep(): Promise<void> {
    if (!this.#isWoken && this.#watchers.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_MS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isWoken = false;
  }
}

/** A watcher with the number of the last row that it received. */
class Watcher {
  readonly #batches: Batches;
  readonly #tell: Tell;
  #last: number | undefined;
  #beginning: Promise<number>;

  constructor(batches: Batches, tell: Tell) {
    this.#batches = batches;
    this.#tell = tell;
    this.#beginning = this.#submit();
    this.#beginning.catch(() => {});
  }

  /** Returns the number of the last row that it received, or of the last before it began. */
  async begin(): Promise<number> {
    if (this.#last !== undefined) return this.#last;
    try {
      return this.#last ??= await this.#beginning;
    } catch (error) {
      this.#beginning = this.#submit();
      this.#beginning.catch(() => {});
      throw error instanceof StoreError ? error : new StoreError("Cannot watch the log");
    }
  }

  take(number: number, record: RequestRecord): void {
    if (this.#last === undefined || number <= this.#last) return;
    this.#last = number;
    this.#tell(record);
  }

  /** The end of the log, as an operation: later rows of this instance are in the same batch or later. */
  #submit(): Promise<number> {
    return this.#batches.submit({}, (view) => view.logged);
  }
}
