/**
 * Sums over the requests of a minute, ten minutes, an hour and six hours, for overviews. Each row
 * names the last segment that it has counted, so that none is counted twice, even after a crash.
 *
 * @module
 */

import { addRollup, addRow, emptyRollup, type Rollup } from "../../../domain/requests/rollup.ts";
import type { LogOverview } from "../../../ports/request_log.ts";
import type { PeriodSums } from "../../../ports/store_copying.ts";
import { READ_AHEAD_BLOCKS, SUM_LEVELS, SUMS_WRITTEN } from "../limits.ts";
import type { LogBlock } from "./log_block.ts";
import { decodeSums, encodeSums, type KeptSums } from "./log_sums_codec.ts";
import {
  MINUTE_MS,
  type OverviewRange,
  startOf,
  type SumLevel,
  sumLevelFor,
  sumStepOf,
} from "./sum_levels.ts";
import { read } from "../read.ts";
import type { Row } from "../rows.ts";
import { TimeSlices } from "../time_slices.ts";
import type { Writer } from "../journal/writer.ts";

/** Prefix of the rows; the rest of the key is their width and start. */
export const LOG_SUMS = "log_sums";

/** The sums of the log. */
export class LogSums {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #nowMs: () => number;

  constructor(kv: Deno.Kv, writer: Writer, nowMs: () => number) {
    this.#kv = kv;
    this.#writer = writer;
    this.#nowMs = nowMs;
  }

  /** Counts blocks. Safe to repeat, also for blocks with other borders. */
  async add(blocks: readonly LogBlock[]): Promise<void> {
    const counted = blocks.map(minutesOf);
    for (const level of SUM_LEVELS) {
      const before = this.#nowMs() - level.keptMs;
      const changed = new Map<number, KeptSums>();
      for (const minute of counted.flatMap(({ minutes }) => [...minutes.keys()])) {
        const start = startOf(minute, level.widthMs);
        if (start < before || changed.has(start)) continue;
        changed.set(start, await this.#read(level, start));
      }
      for (const block of counted) countIn(changed, block, level.widthMs);
      await this.#write(level, changed);
    }
  }

  /** Returns the sums of a time range, with the uncounted part of waiting blocks. */
  async overview(range: OverviewRange, waiting: readonly LogBlock[]): Promise<LogOverview> {
    const counted = waiting.map(minutesOf);
    const level = sumLevelFor(range, this.#nowMs());
    const { widthMs } = level;
    const stepMs = sumStepOf(range, widthMs);
    const sinceMs = startOf(range.sinceMs, stepMs);
    const untilMs = Math.ceil(range.untilMs / widthMs) * widthMs;
    const sumsByStart = new Map<number, KeptSums>();
    const key = [LOG_SUMS, widthMs];
    const rows = this.#kv.list<Uint8Array>(
      { start: [...key, sinceMs], end: [...key, untilMs] },
      { batchSize: READ_AHEAD_BLOCKS },
    );
    const slices = new TimeSlices();
    for (const row of await read(Array.fromAsync(rows))) {
      sumsByStart.set(Number(row.key[2]), readable(row.value));
      await slices.yieldWhenDue();
    }
    for (const block of counted) {
      for (const minute of block.minutes.keys()) {
        const start = startOf(minute, widthMs);
        if (start < sinceMs || start >= untilMs || sumsByStart.has(start)) continue;
        sumsByStart.set(start, noSums());
      }
      countIn(sumsByStart, block, widthMs);
    }
    const total = emptyRollup();
    const series = new Map<number, Rollup>();
    for (const start of [...sumsByStart.keys()].sort((a, b) => a - b)) {
      const rollup = sumsByStart.get(start)?.rollup ?? total;
      const at = startOf(start, stepMs);
      const point = series.get(at) ?? emptyRollup();
      series.set(at, point);
      addRollup(point, rollup);
      addRollup(total, rollup);
    }
    return {
      ...{ sinceMs, untilMs, stepMs, total, uncounted: 0 },
      series: [...series].map(([atMs, rollup]) => ({ atMs, rollup })),
    };
  }

  /** Replaces sums: they include all rows in stored segments. */
  async put(sums: readonly PeriodSums[]): Promise<void> {
    const to = this.#writer.log.stored.segment;
    for (const level of SUM_LEVELS) {
      const own = sums.filter(({ widthMs }) => widthMs === level.widthMs);
      const rows = own.map(({ startMs, rollup }) => [startMs, { to, rollup }] as const);
      await this.#write(level, new Map(rows));
    }
  }

  /** Returns expired rows, up to a maximum. */
  async old(most: number): Promise<Row[]> {
    const old: Row[] = [];
    for (const { widthMs, keptMs } of SUM_LEVELS) {
      const end = [LOG_SUMS, widthMs, startOf(this.#nowMs() - keptMs, widthMs)];
      const rows = this.#kv.list({ start: [LOG_SUMS, widthMs], end }, { limit: most });
      for (const { key } of await read(Array.fromAsync(rows))) old.push({ key, bytes: 0 });
    }
    return old.slice(0, most);
  }

  async #read({ widthMs }: SumLevel, start: number): Promise<KeptSums> {
    const { value } = await read(this.#kv.get<Uint8Array>([LOG_SUMS, widthMs, start]));
    return value === null ? noSums() : readable(value);
  }

  async #write({ widthMs }: SumLevel, changed: ReadonlyMap<number, KeptSums>): Promise<void> {
    let rows: Row[] = [];
    let bytes = 0;
    for (const [start, sums] of changed) {
      const value = encodeSums(sums);
      if (rows.length === SUMS_WRITTEN || bytes + value.length > SUMS_COMMIT_BYTES) {
        await this.#writer.write(rows);
        rows = [];
        bytes = 0;
      }
      rows.push({ key: [LOG_SUMS, widthMs, start], value, bytes: value.length });
      bytes += value.length;
    }
    if (rows.length > 0) await this.#writer.write(rows);
  }
}

/** Bytes of rows written in one commit, besides its other contents. */
const SUMS_COMMIT_BYTES = 112 * 1024;

function noSums(): KeptSums {
  return { to: 0, rollup: emptyRollup() };
}

/** Decodes sums; damaged ones start from zero: no search and no bill depends on them. */
function readable(value: Uint8Array): KeptSums {
  try {
    return decodeSums(value);
  } catch {
    return noSums();
  }
}

/** A block with the sums of each minute in it. */
interface CountedBlock {
  readonly block: LogBlock;
  readonly last: number;
  readonly minutes: ReadonlyMap<number, Rollup>;
}

function minutesOf(block: LogBlock): CountedBlock {
  const minutes = new Map<number, Rollup>();
  for (const row of block.rolled(0)) {
    const minute = startOf(row.atMs, MINUTE_MS);
    let rollup = minutes.get(minute);
    if (rollup === undefined) minutes.set(minute, rollup = emptyRollup());
    addRow(rollup, row);
  }
  return { block, last: block.last, minutes };
}

/** Adds the uncounted part of a block. */
function countIn(
  sums: ReadonlyMap<number, KeptSums>,
  { block, last, minutes }: CountedBlock,
  widthMs: number,
): void {
  const before = new Map<number, number>();
  for (const [minute, rollup] of minutes) {
    const start = startOf(minute, widthMs);
    const storedSums = sums.get(start);
    if (storedSums === undefined) continue;
    const to = before.get(start) ?? storedSums.to;
    before.set(start, to);
    if (to >= last) continue;
    if (to < block.first) addRollup(storedSums.rollup, rollup);
    else countRows(storedSums.rollup, { block, afterSegment: to, minute });
    storedSums.to = last;
  }
}

/** Counts the rest of a block that was counted in part, with other borders. */
function countRows(
  rollup: Rollup,
  { block, afterSegment, minute }: { block: LogBlock; afterSegment: number; minute: number },
): void {
  for (const row of block.rolled(afterSegment)) {
    if (startOf(row.atMs, MINUTE_MS) === minute) addRow(rollup, row);
  }
}
