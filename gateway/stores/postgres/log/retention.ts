/**
 * Deletion of rows of the request log that are too old or too many, and of old sums.
 *
 * @module
 */

import { SUM_LEVELS } from "../../kv/limits.ts";
import { startOf } from "../../kv/log/sum_levels.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { PART_BITS } from "../sql/log_parts.ts";

/** Limits of the log at a moment. */
export interface LogLimits {
  readonly records: number;
  /** Rows that began before are deleted. */
  readonly beforeMs: number;
}

const PART_ROWS = 2 ** PART_BITS;

/**
 * Deletes the expired rows of one part of the log that are in the sums. Returns their number: 0 as
 * well while another instance counts or deletes.
 */
export async function trimPart(sql: Sql, { records, beforeMs }: LogLimits): Promise<number> {
  return await query(sql.begin(async (tx) => {
    const [head] = await tx<{ counted: bigint }[]>`
      select counted from log_sums_head for update skip locked
    `;
    if (head === undefined) return 0;
    const [old] = await tx<{ part: bigint; excess: bigint }[]>`
      select part, logged - ${records}::bigint as excess from request_log_part, ledger_head
      where first <= ${head.counted}
        and (min_at_ms < ${Math.floor(beforeMs)} or first <= logged - ${records}::bigint)
      order by part limit 1
    `;
    if (old === undefined) return 0;
    const first = Number(old.part) * PART_ROWS;
    const { count } = await tx`
      delete from request_log where number >= ${first} and number < ${first + PART_ROWS}
        and number <= ${head.counted}
        and (at_ms < ${Math.floor(beforeMs)} or number <= ${old.excess})
    `;
    await correctPart(tx, old.part);
    return count;
  }));
}

/** Sets the bounds of a part anew. Its row is locked first: a batch that adds rows comes before or after. */
async function correctPart(tx: Transaction, part: bigint): Promise<void> {
  await tx`select 1 from request_log_part where part = ${part} for update`;
  const [first, end] = [Number(part) * PART_ROWS, (Number(part) + 1) * PART_ROWS];
  const { count } = await tx`
    update request_log_part set first = r.first, min_at_ms = r.min_at_ms
    from (select min(number) as first, min(at_ms) as min_at_ms from request_log
      where number >= ${first} and number < ${end}) r
    where part = ${part} and r.first is not null
  `;
  if (count === 0) await tx`delete from request_log_part where part = ${part}`;
}

/** Deletes expired sums. */
export async function trimSums(sql: Sql, nowMs: number): Promise<void> {
  for (const { widthMs, keptMs } of SUM_LEVELS) {
    await query(sql`
      delete from log_sums
      where width_ms = ${widthMs} and start_ms < ${startOf(nowMs - keptMs, widthMs)}
    `);
  }
}
