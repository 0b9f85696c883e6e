/**
 * Rows of the journal and of its batches, read in order, some at a time.
 *
 * @module
 */

import { type Connection, query } from "../../connection.ts";

/** Rows that are read at once. */
const ROWS_READ = 1_000;

/** A row of the table `journal`. */
export interface EntryRow {
  readonly place: bigint;
  readonly batch: bigint;
  readonly wallet: string;
  readonly op: string;
  readonly at_ms: bigint;
  readonly log_id: string | null;
  readonly line: string;
}

/** A row of the table `journal_batch`. */
export interface BatchRow {
  readonly batch: bigint;
  readonly entries: bigint;
  readonly first_place: bigint;
  readonly at_ms: bigint;
  readonly hash: string;
}

/** Yields all batches, in order. */
export async function* batchRows(sql: Connection): AsyncGenerator<readonly BatchRow[], void> {
  for (let after: bigint | null = null;;) {
    const rows: readonly BatchRow[] = await query(sql<BatchRow[]>`
      select batch, entries, first_place, at_ms, hash from journal_batch
      where ${after}::bigint is null or batch > ${after} order by batch limit ${ROWS_READ}
    `);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.batch;
    yield rows;
  }
}

/** The entries, in order of place. */
export class EntryRows {
  readonly #sql: Connection;
  #read: readonly EntryRow[] = [];
  #taken = 0;
  #after: bigint | null = null;
  #isOver = false;

  constructor(sql: Connection) {
    this.#sql = sql;
  }

  /** Returns the next entries before a place, or before the end; none when there are no more. */
  async before(place: bigint | undefined): Promise<readonly EntryRow[]> {
    if (this.#taken === this.#read.length && !this.#isOver) await this.#readOn();
    const start = this.#taken;
    const rows = this.#read;
    let end = start;
    if (place === undefined) end = rows.length;
    else while (end < rows.length && (rows[end]?.place ?? place) < place) end++;
    this.#taken = end;
    return rows.slice(start, end);
  }

  async #readOn(): Promise<void> {
    const after = this.#after;
    this.#read = await query(this.#sql<EntryRow[]>`
      select place, batch, wallet, op, at_ms, log_id, line from journal
      where ${after}::bigint is null or place > ${after} order by place limit ${ROWS_READ}
    `);
    this.#taken = 0;
    this.#after = this.#read.at(-1)?.place ?? after;
    this.#isOver = this.#read.length < ROWS_READ;
  }
}
