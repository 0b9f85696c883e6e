import type {
  LogOverview,
  RequestLog,
  RequestPage,
  RequestQuery,
  RequestRecord,
} from "../../../ports/request_log.ts";
import type { PeriodSums } from "../../../ports/store_copying.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { LOG_AGE_MS, LOG_RECORDS, LOG_TRIM_BATCH, LOG_TRIM_SEGMENTS } from "../limits.ts";
import { LogIndex } from "./log_index.ts";
import { logLine } from "./log_line.ts";
import { searchLog } from "./log_search.ts";
import type { OverviewRange } from "./sum_levels.ts";
import type { Row } from "../rows.ts";
import { oldestSegment, readSegments } from "../chain.ts";
import type { Line, PlacedLines } from "../segment.ts";
import type { Writer } from "../journal/writer.ts";

/** Maximum size and age of the log. */
export interface LogRetention {
  /** Maximum number of requests. @default {1000000} */
  readonly records?: number | undefined;
  /** Age at which requests are deleted, in milliseconds. @default {2592000000} */
  readonly ageMs?: number | undefined;
}

/** The request log in Deno KV, many requests per row. */
export class KvRequestLog implements RequestLog {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #records: number;
  readonly #ageMs: number;
  readonly #nowMs: () => number;
  #trimmedAt: number;
  #trimming: Promise<void> | undefined;
  #closed = false;
  readonly #index: LogIndex;
  readonly #watchers = new Set<(record: RequestRecord) => void>();

  constructor(
    kv: Deno.Kv,
    writer: Writer,
    options: { nowMs: () => number; retention?: LogRetention | undefined },
  ) {
    this.#kv = kv;
    this.#writer = writer;
    this.#nowMs = options.nowMs;
    this.#records = options.retention?.records ?? LOG_RECORDS;
    this.#ageMs = options.retention?.ageMs ?? LOG_AGE_MS;
    this.#trimmedAt = writer.log.stored.segment;
    this.#index = new LogIndex(kv, writer, options.nowMs);
  }

  /** Finds the end of the index. */
  begin(): Promise<void> {
    return this.#index.begin();
  }

  append(record: RequestRecord): Promise<void> {
    let line: Line;
    try {
      line = logLine(record);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#writer.submit((stage) => stage.appendLog(line));
  }

  /** Appends rows, all or none. They must fit into one commit. */
  async appendAll(records: readonly RequestRecord[]): Promise<void> {
    const lines = records.map(logLine);
    await this.#writer.submit((stage) => {
      for (const line of lines) stage.appendLog(line);
    });
  }

  /** Replaces sums, which then include all rows. No row may be appended meanwhile. */
  async putSums(sums: readonly PeriodSums[]): Promise<void> {
    await this.#writer.fold(() => {});
    await this.#index.write();
    await this.#index.sums.put(sums);
  }

  async get(id: string): Promise<RequestRecord | undefined> {
    // Ids are in order of time: the row is at the first segment that reaches this id, or soon
    // after.
    const query = { id, limit: 1, order: "oldest" } as const;
    let cursor: string | undefined;
    do {
      const page = await this.search({ ...query, cursor });
      if (page.records[0] !== undefined) return page.records[0];
      cursor = page.cursor;
    } while (cursor !== undefined);
    return undefined;
  }

  async search(query: RequestQuery): Promise<RequestPage> {
    const view = await this.#index.view();
    return await searchLog({ kv: this.#kv, view }, query);
  }

  overview(range: OverviewRange): Promise<LogOverview> {
    return this.#index.overview(range);
  }

  watch(tell: (record: RequestRecord) => void): () => void {
    this.#watchers.add(tell);
    return () => void this.#watchers.delete(tell);
  }

  /** Tells of durable lines, and adds those of stored segments to the index. */
  noteLogged(lines: readonly Line[], placed: readonly PlacedLines[]): void {
    if (placed.length > 0) this.#index.note(placed);
    if (this.#watchers.size === 0) return;
    for (const { record } of lines) {
      if (record !== undefined) { for (const tell of this.#watchers) tell(record); }
    }
  }

  /** Writes the complete part of the index now. */
  writeIndex(): Promise<void> {
    return this.#index.write();
  }

  /** Writes the index and deletes expired rows, both from time to time. */
  tick(): void {
    this.#index.tick();
    if (this.#writer.log.stored.segment - this.#trimmedAt >= LOG_TRIM_SEGMENTS) void this.trim();
  }

  /** Deletes expired rows, a bounded number per commit. */
  trim(): Promise<void> {
    this.#trimmedAt = this.#writer.log.stored.segment;
    this.#trimming ??= this.#trim().finally(() => this.#trimming = undefined);
    return this.#trimming;
  }

  /** Resolves when no deletion is in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#trimming, this.#index.close()]);
  }

  async #trim(): Promise<void> {
    try {
      // Rows are deleted a segment at a time.
      const [oldest] = this.#writer.log.openLines;
      if (oldest !== undefined && oldest.atMs < this.#nowMs() - this.#ageMs) {
        await this.#writer.fold(() => {});
      }
      let old: number[];
      do {
        old = await this.#oldSegments();
        const last = old.at(-1);
        if (last === undefined) break;
        await this.#index.countTo(last);
        await this.#writer.write(old.map((segment): Row => ({ key: ["log", segment], bytes: 0 })));
      } while (old.length === LOG_TRIM_BATCH && !this.#closed);
      const rows = await this.#index.old(
        await oldestSegment(this.#kv, "log") || this.#writer.log.stored.segment + 1,
      );
      for (let from = 0; from < rows.length; from += LOG_TRIM_BATCH) {
        await this.#writer.write(rows.slice(from, from + LOG_TRIM_BATCH));
      }
    } catch (error) {
      // Old rows stay until the next deletion and do no harm.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Returns the oldest segments that have expired, up to a maximum. */
  async #oldSegments(): Promise<number[]> {
    const segments: number[] = [];
    const { log } = this.#writer;
    const { total, stored: { segment: to } } = log;
    const before = this.#nowMs() - this.#ageMs;
    for await (const { header } of readSegments(this.#kv, log, { from: 1, to })) {
      const old = header.total <= total - this.#records || header.atMs < before;
      if (!old || segments.length === LOG_TRIM_BATCH) break;
      segments.push(header.segment);
    }
    return segments;
  }
}
