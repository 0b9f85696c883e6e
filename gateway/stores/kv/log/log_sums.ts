/**
 * Sums over the requests of a minute, ten minutes, an hour and six hours, for overviews. Each row
 * names the last segment that it has counted, so that none is counted twice, even after a crash.
 *
 * @module
 */

import { addRollup, addRow, emptyRollup, type Rollup } from "../../../domain/requests/rollup.ts";
import type { LogOverview } from "../../../ports/request_log.ts";
import {
  READ_AHEAD_BLOCKS,
  SERIES_POINTS,
  SERIES_POINTS_MAX,
  SUM_LEVELS,
  SUMS_WRITTEN,
} from "../limits.ts";
import type { LogBlock } from "./log_block.ts";
import { decodeSums, encodeSums, type KeptSums } from "./log_sums_codec.ts";
import { read } from "../read.ts";
import type { Row } from "../rows.ts";
import { TimeSlices } from "../time_slices.ts";
import type { Writer } from "../journal/writer.ts";

/** Prefix of the rows; the rest of the key is their width and start. */
export const LOG_SUMS = "log_sums";

type Level = typeof SUM_LEVELS[number];

/** Time range of an overview. */
export interface OverviewRange {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly stepMs?: number | undefined;
}

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
    const level = this.#levelFor(range);
    const { widthMs } = level;
    const stepMs = stepOf(range, widthMs);
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

  /**
   * Selects the narrowest sums that reach back far enough and are not too many. Steps that consist
   * of complete wider sums use those, which are fewer, unless the range ends within an expired one.
   */
  #levelFor({ sinceMs, untilMs, stepMs }: OverviewRange): Level {
    const nowMs = this.#nowMs();
    const [coarsest] = SUM_LEVELS.slice(-1);
    const levels = SUM_LEVELS.filter(({ widthMs, keptMs }) =>
      sinceMs >= nowMs - keptMs && (untilMs - sinceMs) / widthMs <= SERIES_POINTS_MAX
    );
    const isNow = untilMs > nowMs - MINUTE_MS;
    const wide = levels.findLast(({ widthMs }) =>
      stepMs !== undefined && stepMs % widthMs === 0 && (isNow || untilMs % widthMs === 0)
    );
    return wide ?? levels[0] ?? coarsest ?? { widthMs: 60_000, keptMs: 0 };
  }

  async #read({ widthMs }: Level, start: number): Promise<KeptSums> {
    const { value } = await read(this.#kv.get<Uint8Array>([LOG_SUMS, widthMs, start]));
    return value === null ? noSums() : readable(value);
  }

  async #write({ widthMs }: Level, changed: ReadonlyMap<number, KeptSums>): Promise<void> {
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

const MINUTE_MS = 60_000;
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

function startOf(atMs: number, widthMs: number): number {
  return Math.floor(atMs / widthMs) * widthMs;
}

/** Returns the requested step in whole widths, else one with few points. Never too small. */
function stepOf({ sinceMs, untilMs, stepMs }: OverviewRange, widthMs: number): number {
  const spanMs = untilMs - sinceMs;
  const leastMs = spanMs / (stepMs === undefined ? SERIES_POINTS : SERIES_POINTS_MAX);
  return Math.max(1, Math.ceil(Math.max(stepMs ?? 0, leastMs) / widthMs)) * widthMs;
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
