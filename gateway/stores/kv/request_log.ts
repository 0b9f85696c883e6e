import { Buffer } from "node:buffer";
import { matches } from "../../domain/request_filter.ts";
import {
  addRow,
  emptyRollup,
  endingOf,
  NO_MODEL,
  type Rollup,
} from "../../domain/request_rollup.ts";
import { parseCredits } from "../../domain/money.ts";
import type {
  LogOverview,
  RequestLog,
  RequestPage,
  RequestQuery,
  RequestRecord,
} from "../../ports/request_log.ts";
import { StoreError } from "../../ports/store_error.ts";
import {
  LOG_AGE_MS,
  LOG_RECORDS,
  LOG_TRIM_BATCH,
  LOG_TRIM_SEGMENTS,
  LONGEST_REQUEST_MS,
  MAX_SEGMENT_BYTES,
} from "./limits.ts";
import { readPage } from "./page.ts";
import { type Row, textOf } from "./rows.ts";
import { firstSegment, type Line, readSegments } from "./segment.ts";
import type { Writer } from "./writer.ts";

/** How much of the log is kept. */
export interface LogRetention {
  /** Requests kept. @default {100000} */
  readonly records?: number | undefined;
  /** Age at which requests leave, in milliseconds. @default {2592000000} */
  readonly ageMs?: number | undefined;
}

/** Recent requests in Deno KV, many to a row. */
export class KvRequestLog implements RequestLog {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #records: number;
  readonly #ageMs: number;
  readonly #nowMs: () => number;
  #trimmedAt: number;
  #trimming: Promise<void> | undefined;
  #closed = false;
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
    this.#trimmedAt = writer.log.segment;
  }

  append(record: RequestRecord): Promise<void> {
    let line: Line;
    try {
      line = logLine(record);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#writer.submit((stage) => stage.appendLog(line)).then(() => {
      for (const tell of this.#watchers) tell(record);
    });
  }

  async get(id: string): Promise<RequestRecord | undefined> {
    const needle = `"id":${JSON.stringify(id)}`;
    const chain = { name: "log", last: this.#writer.log.segment };
    // Ids are ordered by the time a request began, rows by the time it ended: the row stands where
    // ids first reached this one, or as much later as the request was long.
    const from = await firstSegment(this.#kv, chain, (header) => header.maxId >= id);
    let untilMs = Infinity;
    for await (const { header, lines } of readSegments(this.#kv, "log", { from, to: chain.last })) {
      if (untilMs === Infinity) untilMs = header.atMs + LONGEST_REQUEST_MS;
      if (header.atMs > untilMs) return undefined;
      for (const line of lines) {
        if (!line.includes(needle)) continue;
        const record = decodeRecord(line);
        if (record.id === id) return record;
      }
    }
    return undefined;
  }

  async search(query: RequestQuery): Promise<RequestPage> {
    const { requestId, keyId } = query;
    const needles: string[] = [];
    if (requestId !== undefined) needles.push(`"requestId":${JSON.stringify(requestId)}`);
    if (keyId !== undefined) needles.push(`"keyId":${JSON.stringify(keyId)}`);
    const { items, cursor } = await readPage(this.#kv, {
      chain: "log",
      last: this.#writer.log.segment,
      ...query,
      needles,
      decode: (line) => {
        const record = decodeRecord(line);
        return matches(record, query) ? record : undefined;
      },
    });
    return { records: items, cursor };
  }

  async overview(
    { sinceMs, untilMs, stepMs = 60_000 }: { sinceMs: number; untilMs: number; stepMs?: number },
  ): Promise<LogOverview> {
    const total = emptyRollup();
    const series = new Map<number, Rollup>();
    for await (
      const { lines } of readSegments(this.#kv, "log", { from: 1, to: this.#writer.log.segment })
    ) {
      for (const line of lines) {
        const record = decodeRecord(line);
        if (record.atMs < sinceMs || record.atMs > untilMs) continue;
        const at = Math.floor(record.atMs / stepMs) * stepMs;
        const rollup = series.get(at) ?? emptyRollup();
        series.set(at, rollup);
        const row = {
          ...record,
          model: record.routing?.model ?? NO_MODEL,
          ending: endingOf(record),
          charged: parseCredits(record.charged) ?? 0n,
          firstByteMs: record.firstByteMs,
        };
        addRow(total, row);
        addRow(rollup, row);
      }
    }
    const sorted = [...series].sort(([a], [b]) => a - b).map(([atMs, rollup]) => ({
      atMs,
      rollup,
    }));
    return { sinceMs, untilMs, stepMs, total, series: sorted, uncounted: 0 };
  }

  watch(tell: (record: RequestRecord) => void): () => void {
    this.#watchers.add(tell);
    return () => void this.#watchers.delete(tell);
  }

  /** Starts to delete what is beyond the retention, now and then. */
  tick(): void {
    if (this.#writer.log.segment - this.#trimmedAt >= LOG_TRIM_SEGMENTS) void this.trim();
  }

  /** Deletes what is beyond the retention, a bounded number of rows a commit. */
  trim(): Promise<void> {
    this.#trimmedAt = this.#writer.log.segment;
    this.#trimming ??= this.#trim().finally(() => this.#trimming = undefined);
    return this.#trimming;
  }

  /** Resolves when no deletion is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#trimming;
  }

  async #trim(): Promise<void> {
    try {
      let rows: Row[];
      do {
        rows = await this.#oldRows();
        if (rows.length > 0) await this.#writer.write(rows);
      } while (rows.length === LOG_TRIM_BATCH && !this.#closed);
    } catch (error) {
      // Old rows stay until the next look; they are in nobody's way.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  async #oldRows(): Promise<Row[]> {
    const rows: Row[] = [];
    const { segment: to, total } = this.#writer.log;
    const before = this.#nowMs() - this.#ageMs;
    for await (const { header } of readSegments(this.#kv, "log", { from: 1, to })) {
      const old = header.total <= total - this.#records || header.atMs < before;
      if (!old || rows.length === LOG_TRIM_BATCH) break;
      rows.push({ key: ["log", header.segment], bytes: 0 });
    }
    return rows;
  }
}

/**
 * A record as a line of the log. One that is longer than a row goes without its longest parts; throws
 * a {@linkcode StoreError} where it is too long even so.
 */
export function logLine(record: RequestRecord): Line {
  let text = JSON.stringify(record);
  let bytes = Buffer.byteLength(text);
  if (bytes > MAX_SEGMENT_BYTES) {
    text = JSON.stringify({ ...record, exclusions: undefined, routing: undefined });
    bytes = Buffer.byteLength(text);
  }
  if (bytes > MAX_SEGMENT_BYTES) {
    throw new StoreError(`Cannot log request "${record.id}": its row is ${bytes} bytes`);
  }
  return { text, bytes, atMs: record.atMs, id: record.id };
}

/** Reads a row that is kept for a death of the gateway. */
export function killedRowOf(value: Uint8Array): RequestRecord {
  return decodeRecord(textOf(value));
}

function decodeRecord(line: string): RequestRecord {
  return JSON.parse(line) as RequestRecord;
}
