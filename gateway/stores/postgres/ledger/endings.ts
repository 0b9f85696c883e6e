/**
 * Ended holds are remembered for a while, so that a repeated command gets its first answer.
 *
 * @module
 */

import { MAX_REMEMBERED_ENDINGS } from "../../kv/limits.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { query, type Sql } from "../connection.ts";
import type { BatchView } from "./batch_view.ts";

/** Number of the latest ended holds that stay, as many as the file store remembers. */
export const ENDINGS_KEPT = MAX_REMEMBERED_ENDINGS;
/**
 * Age up to which ended holds stay, however many: longer than an instance that cannot reach the
 * database keeps its lease.
 */
const KEPT = "1 minute";
/** Entries of the journal between two deletions. */
const ENTRIES_PER_SWEEP = 5_000;
/** Maximum rows that one deletion takes. */
const SWEPT_MAX = 20_000;

/** Options of {@linkcode sweepEndings}, for tests. */
export interface SweepOptions {
  /** Number of the latest ended holds that stay. @default {ENDINGS_KEPT} */
  readonly kept?: number | undefined;
  /** Age up to which they stay, as PostgreSQL writes intervals. @default {KEPT} */
  readonly age?: string | undefined;
}

/**
 * Deletes the oldest ended holds, so that those that stay are all from one place of the journal on.
 * The time is the database's.
 */
export async function sweepEndings(
  sql: Sql,
  { kept = ENDINGS_KEPT, age = KEPT }: SweepOptions = {},
): Promise<number> {
  const { count } = await query(sql`
    with recent as (
      select place from ended_hold where at >= clock_timestamp() - ${age}::interval
      order by place limit 1
    ), oldest_kept as (
      select place from ended_hold order by place desc offset ${kept - 1} limit 1
    )
    delete from ended_hold where id in (
      select id from ended_hold
      where place < (select place from oldest_kept)
        and place < coalesce((select place from recent), 9223372036854775807)
      order by place limit ${SWEPT_MAX}
    )
  `);
  return count;
}

/** Deletes old ended holds now and then: the instance does it whose batch passes a mark. */
export class Endings {
  readonly #sql: Sql;
  #sweeping: Promise<void> | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Hears of each durable batch. */
  committed({ places: { first, next } }: Pick<BatchView, "places">): void {
    const isMark = Math.floor(first / ENTRIES_PER_SWEEP) < Math.floor(next / ENTRIES_PER_SWEEP);
    if (isMark) this.#sweeping ??= this.#sweep();
  }

  /** Ends with the deletion that is going on. */
  async close(): Promise<void> {
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    try {
      await sweepEndings(this.#sql);
    } catch (error) {
      // The database is away: the next mark deletes these rows, too.
      if (!(error instanceof StoreError)) throw error;
    } finally {
      this.#sweeping = undefined;
    }
  }
}
