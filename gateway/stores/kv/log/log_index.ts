/**
 * The index of the request log: blocks built from rows as they become durable, and written a little
 * later. Everything in it derives from the log: parts lost in a crash, or missing from an older
 * gateway's store, are rebuilt.
 *
 * @module
 */

import type { LogOverview, RequestRecord } from "../../../ports/request_log.ts";
import {
  INDEX_BLOCKS_WAITING,
  INDEX_WAIT_ROWS,
  INDEX_WRITE_MS,
  LOG_TRIM_BATCH,
  SUMS_WRITTEN,
} from "../limits.ts";
import { LOG_BLOCK_IDS, LOG_BLOCKS, LogBlock } from "./log_block.ts";
import { BlockTimes } from "./log_block_times.ts";
import { LogSums } from "./log_sums.ts";
import type { OverviewRange } from "./sum_levels.ts";
import { read } from "../read.ts";
import type { Row } from "../rows.ts";
import { decodeRecord } from "./log_line.ts";
import { type Chain, readSegment, readSegments } from "../chain.ts";
import type { Line, PlacedLines } from "../segment.ts";
import { TimeSlices } from "../time_slices.ts";
import type { Writer } from "../journal/writer.ts";

/** The index at one moment. */
export interface IndexView {
  /** Blocks that may not be stored yet, oldest first. */
  readonly waiting: readonly LogBlock[];
  /** Last segment in a block. */
  readonly to: number;
  /** The log at that moment. */
  readonly log: Chain;
  /** Known times of the stored blocks. */
  readonly times: BlockTimes;
}

/** Builds and holds the blocks. */
export class LogIndex {
  readonly sums: LogSums;
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #times = new BlockTimes();
  /** Last segment whose block is stored, and rows of the log up to it. */
  #writtenTo = 0;
  #writtenRows = 0;
  /** Last segment in a block, and rows of the log up to it. */
  #addedTo = 0;
  #addedRows = 0;
  #open: LogBlock | undefined;
  #closed: LogBlock[] = [];
  /** True when every durable row is in a block. */
  #isLive = false;
  #catchingUp: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #writtenAtMs = -Infinity;
  #isOver = false;

  constructor(kv: Deno.Kv, writer: Writer, nowMs: () => number) {
    this.#kv = kv;
    this.#writer = writer;
    this.sums = new LogSums(kv, writer, nowMs);
  }

  /** Finds the end of the stored index and starts to build the missing part. */
  async begin(): Promise<void> {
    const last = this.#kv.list({ prefix: [LOG_BLOCKS] }, { limit: 1, reverse: true });
    for (const { key } of await read(Array.fromAsync(last))) this.#writtenTo = Number(key[1]);
    const lastWritten = await readSegment(this.#kv, this.#writer.log, this.#writtenTo);
    this.#writtenRows = lastWritten?.header.total ?? 0;
    this.#addedTo = this.#writtenTo;
    this.#addedRows = this.#writtenRows;
    this.#catchUp();
  }

  /** Number of rows in stored segments without a block. */
  get missing(): number {
    return this.#isLive ? 0 : Math.max(0, this.#writer.log.stored.total - this.#addedRows);
  }

  /** Returns the index, after a short catch-up if needed. */
  async view(): Promise<IndexView> {
    await this.#ready();
    return this.#view();
  }

  /** Returns the sums of a time range. */
  async overview(range: OverviewRange): Promise<LogOverview> {
    await this.#ready();
    // Counted at once: a fold would move the rows of open segments into a waiting block.
    const { waiting, log } = this.#view();
    const open = new LogBlock(log.stored.segment + 1);
    for (const { segment, lines } of log.openPlaced) open.add(recordsOf(lines), segment);
    const overview = this.sums.overview(range, [...waiting, open]);
    return { ...await overview, uncounted: this.missing };
  }

  async #ready(): Promise<void> {
    if (!this.#isLive && this.missing <= INDEX_WAIT_ROWS) await this.#catchingUp;
  }

  #view(): IndexView {
    const waiting = this.#open === undefined ? this.#closed : [...this.#closed, this.#open];
    return {
      waiting: [...waiting],
      to: this.#addedTo,
      log: this.#writer.log,
      times: this.#times,
    };
  }

  /** Adds durable rows. Never throws. */
  note(logged: readonly PlacedLines[]): void {
    if (!this.#isLive) return;
    try {
      for (const { segment, lines } of logged) {
        this.#add(segment, recordsOf(lines));
      }
    } catch {
      this.#fallBehind();
    }
  }

  /** Writes waiting blocks from time to time and builds missing ones. */
  tick(): void {
    if (!this.#isLive) return this.#catchUp();
    const isDue = performance.now() - this.#writtenAtMs >= INDEX_WRITE_MS;
    if (isDue && this.#closed.length > 0) void this.#write();
    if (this.#closed.length > INDEX_BLOCKS_WAITING) this.#fallBehind();
  }

  /** Writes every full block. */
  async write(): Promise<void> {
    await this.#catchingUp;
    await this.#writing;
    await this.#write();
  }

  /**
   * Stores the sums of the rows up to a segment, which can then be deleted: those of a block that is
   * not full are only in memory, and would be lost with the rows.
   */
  async countTo(segment: number): Promise<void> {
    await this.#catchingUp;
    if (this.#open !== undefined && this.#open.first <= segment) {
      this.#closed.push(this.#open);
      this.#open = undefined;
    }
    if (segment > this.#writtenTo) await this.write();
  }

  /**
   * Returns deletions of index rows whose log rows were deleted; `before` is the oldest segment of
   * the log.
   */
  async old(before: number): Promise<Row[]> {
    const old: Row[] = [];
    for (const prefix of [LOG_BLOCKS, LOG_BLOCK_IDS]) {
      const range = { start: [prefix, 0], end: [prefix, before] };
      const rows = this.#kv.list(range, { limit: LOG_TRIM_BATCH });
      for (const { key } of await read(Array.fromAsync(rows))) old.push({ key, bytes: 0 });
    }
    return [...old, ...await this.sums.old(SUMS_WRITTEN)];
  }

  /** Resolves when no write is in progress. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([this.#catchingUp, this.#writing]);
  }

  #add(segment: number, records: readonly RequestRecord[]): void {
    if (this.#open !== undefined && !this.#open.hasRoom(records, segment)) {
      this.#closed.push(this.#open);
      this.#open = undefined;
    }
    this.#open ??= new LogBlock(segment);
    this.#open.add(records, segment);
    this.#addedTo = segment;
    this.#addedRows += records.length;
  }

  /** Drops the waiting blocks: they are rebuilt from the log. */
  #fallBehind(): void {
    this.#isLive = false;
    this.#open = undefined;
    this.#closed = [];
    this.#addedTo = this.#writtenTo;
    this.#addedRows = this.#writtenRows;
  }

  #catchUp(): void {
    if (this.#isOver) return;
    this.#catchingUp ??= this.#readOn().finally(() => this.#catchingUp = undefined);
  }

  /** Builds blocks of all durable rows. */
  async #readOn(): Promise<void> {
    const slices = new TimeSlices();
    try {
      while (!this.#isOver) {
        const { log } = this.#writer;
        const range = { from: this.#addedTo + 1, to: log.stored.segment };
        if (range.from > range.to) {
          this.#isLive = true;
          return;
        }
        for await (const { header, lines } of readSegments(this.#kv, log, range)) {
          this.#add(header.segment, lines.map(decodeRecord));
          this.#addedRows = header.total;
          if (this.#closed.length > INDEX_BLOCKS_WAITING / 2) await this.#write();
          if (this.#isOver) return;
          await slices.yieldWhenDue();
        }
        // Missing segments were deleted for their age.
        this.#addedTo = range.to;
      }
    } catch (error) {
      this.#writer.onDamage(error);
      // The store fails, or a row is damaged: searches read the rows themselves, and a later tick
      // tries again.
      this.#fallBehind();
    }
  }

  /** Writes the full blocks: their sums first, then the blocks, which make the sums count. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeClosed().finally(() => {
      this.#writing = undefined;
      this.#writtenAtMs = performance.now();
    });
    return this.#writing;
  }

  async #writeClosed(): Promise<void> {
    const blocks = [...this.#closed];
    try {
      await this.sums.add(blocks);
      for (const block of blocks) {
        await this.#writer.write(block.encode());
        this.#writtenTo = block.last;
        this.#writtenRows += block.rows;
        const at = this.#closed.indexOf(block);
        if (at >= 0) this.#closed.splice(at, 1);
      }
    } catch {
      // They stay in memory; with too many of them the index is rebuilt.
    }
  }
}

function recordsOf(lines: readonly Line[]): RequestRecord[] {
  return lines.flatMap(({ record }) => record === undefined ? [] : [record]);
}
