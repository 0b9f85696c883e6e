/**
 * Sums over the requests of a period. One instance at a time counts rows that are not yet in the
 * sums; an overview adds the others itself, so that it is exact.
 *
 * @module
 */

import { addRollup, addRow, emptyRollup, type Rollup } from "../../../domain/requests/rollup.ts";
import type { LogOverview, RequestRecord } from "../../../ports/request_log.ts";
import type { PeriodSums } from "../../../ports/store_copying.ts";
import { SUM_LEVELS } from "../../kv/limits.ts";
import { decodeRecord } from "../../kv/log/log_line.ts";
import { decodeSums, encodeSums } from "../../kv/log/log_sums_codec.ts";
import { type OverviewRange, startOf, sumLevelFor, sumStepOf } from "../../kv/log/sum_levels.ts";
import { bytesOf, textOf } from "../../kv/rows.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { rolledOf } from "./rolled.ts";

/** Maximum rows that are counted in one transaction. */
export const COUNTED_ROWS = 2_000;
/** Maximum rows that an overview counts itself. */
const TAIL_ROWS = 2_000;

/** A row of `log_sums`. */
interface SumsRow {
  readonly width: number;
  readonly start: number;
  readonly rollup: Rollup;
}

/** Adds the next rows to the sums. Returns their number: 0 as well while another instance counts. */
export async function countRows(sql: Sql, nowMs: number): Promise<number> {
  return await query(sql.begin(async (tx) => {
    const [head] = await tx<{ counted: bigint }[]>`
      select counted from log_sums_head for update skip locked
    `;
    if (head === undefined) return 0;
    const rows = await tx<{ number: bigint; line: string }[]>`
      select number, line from request_log where number > ${head.counted}
      order by number limit ${COUNTED_ROWS}
    `;
    const last = rows.at(-1);
    if (last === undefined) return 0;
    await addToSums(tx, rows.map(({ line }) => decodeRecord(line)), nowMs);
    await tx`update log_sums_head set counted = ${last.number}`;
    return rows.length;
  }));
}

/** Replaces sums, which then include all rows. No row may be appended meanwhile. */
export async function replaceSums(sql: Sql, sums: readonly PeriodSums[]): Promise<void> {
  await query(sql.begin(async (tx) => {
    await tx`select 1 from log_sums_head for update`;
    await writeSums(
      tx,
      sums.map(({ widthMs, startMs, rollup }) => {
        return { width: widthMs, start: startMs, rollup };
      }),
    );
    await tx`update log_sums_head set counted = (select logged from ledger_head)`;
  }));
}

async function addToSums(
  tx: Transaction,
  records: readonly RequestRecord[],
  nowMs: number,
): Promise<void> {
  const changed = new Map<string, SumsRow>();
  for (const record of records) {
    for (const { widthMs: width, keptMs } of SUM_LEVELS) {
      const start = startOf(record.atMs, width);
      if (start < nowMs - keptMs) continue;
      const name = `${width} ${start}`;
      const sums = changed.get(name) ?? { width, start, rollup: emptyRollup() };
      changed.set(name, sums);
    }
  }
  for (const one of await storedSums(tx, [...changed.values()])) {
    const name = `${one.width} ${one.start}`;
    changed.set(name, one);
  }
  for (const record of records) {
    const row = rolledOf(record);
    for (const { widthMs } of SUM_LEVELS) {
      const sums = changed.get(`${widthMs} ${startOf(record.atMs, widthMs)}`);
      if (sums !== undefined) addRow(sums.rollup, row);
    }
  }
  await writeSums(tx, [...changed.values()]);
}

async function writeSums(tx: Transaction, rows: readonly SumsRow[]): Promise<void> {
  await tx`
    insert into log_sums (width_ms, start_ms, sums)
    select width_ms, start_ms, sums from unnest(${rows.map(({ width }) => width)}::bigint[],
      ${rows.map(({ start }) => start)}::bigint[],
      ${rows.map(({ rollup }) => textOf(encodeSums({ to: 0, rollup })))}::text[])
      as t(width_ms, start_ms, sums)
    on conflict (width_ms, start_ms) do update set sums = excluded.sums
  `;
}

async function storedSums(tx: Transaction, wanted: readonly SumsRow[]): Promise<SumsRow[]> {
  const rows = await tx<{ width_ms: bigint; start_ms: bigint; sums: string }[]>`
    select width_ms, start_ms, sums from log_sums where (width_ms, start_ms) in (
      select width, start from unnest(${wanted.map(({ width }) => width)}::bigint[],
        ${wanted.map(({ start }) => start)}::bigint[]) as t(width, start))
  `;
  return rows.map(({ width_ms, start_ms, sums }) => {
    return { width: Number(width_ms), start: Number(start_ms), rollup: readable(sums) };
  });
}

/** Returns the sums of a time range. */
export async function overviewOf(
  sql: Sql,
  range: OverviewRange,
  nowMs: number,
): Promise<LogOverview> {
  const { widthMs } = sumLevelFor(range, nowMs);
  const stepMs = sumStepOf(range, widthMs);
  const sinceMs = startOf(range.sinceMs, stepMs);
  const untilMs = Math.ceil(range.untilMs / widthMs) * widthMs;
  const { sums, tail, uncounted } = await readSums(sql, { widthMs, sinceMs, untilMs });
  const total = emptyRollup();
  const series = new Map<number, Rollup>();
  const pointOf = (atMs: number) => {
    const at = startOf(atMs, stepMs);
    const point = series.get(at) ?? emptyRollup();
    series.set(at, point);
    return point;
  };
  for (const { start, rollup } of sums) {
    addRollup(pointOf(start), rollup);
    addRollup(total, rollup);
  }
  for (const record of tail) {
    const row = rolledOf(record);
    addRow(pointOf(record.atMs), row);
    addRow(total, row);
  }
  return {
    ...{ sinceMs, untilMs, stepMs, total, uncounted },
    series: [...series].sort(([a], [b]) => a - b).map(([atMs, rollup]) => ({ atMs, rollup })),
  };
}

interface SumsRange {
  readonly widthMs: number;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Reads sums and uncounted rows in one statement, so that a row is in exactly one of them. */
async function readSums(sql: Sql, { widthMs, sinceMs, untilMs }: SumsRange) {
  const rows = await query(sql<{ kind: string; at: bigint; data: string }[]>`
    with head as materialized (select counted from log_sums_head), tail as materialized (
      select number, at_ms, line from request_log where number > (select counted from head)
      order by number limit ${TAIL_ROWS}
    )
    select 'sums' as kind, start_ms as at, sums as data from log_sums
    where width_ms = ${widthMs} and start_ms >= ${sinceMs} and start_ms < ${untilMs}
    union all select 'row', at_ms, line from tail
    where at_ms >= ${sinceMs} and at_ms < ${untilMs}
    union all select 'left', h.logged - greatest(
        (select max(number) from tail), (select counted from head)), '' from ledger_head h
    order by kind desc, at
  `);
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    sums: of("sums").map(({ at, data }) => ({ start: Number(at), rollup: readable(data) })),
    tail: of("row").map(({ data }) => decodeRecord(data)),
    uncounted: Math.max(0, Number(of("left")[0]?.at ?? 0)),
  };
}

/** Decodes sums; damaged ones start from zero: no search and no bill depends on them. */
function readable(sums: string): Rollup {
  try {
    return decodeSums(bytesOf(sums)).rollup;
  } catch {
    return emptyRollup();
  }
}
