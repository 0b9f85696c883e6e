import type {
  LogOverview,
  RequestLog,
  RequestPage,
  RequestQuery,
  RequestRecord,
} from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { LOG_AGE_MS, LOG_RECORDS } from "../../kv/limits.ts";
import type { LogRetention } from "../../kv/log/request_log.ts";
import type { OverviewRange } from "../../kv/log/sum_levels.ts";
import type { Sql } from "../connection.ts";
import type { Batches } from "../ledger/batches.ts";
import { trimPart, trimSums } from "./retention.ts";
import { recordWith, searchLog, type SearchOptions } from "./search.ts";
import { countRows, overviewOf } from "./sums.ts";
import { LogWatch } from "./watch.ts";

/** Options of {@linkcode PostgresRequestLog}. */
export interface PostgresLogOptions {
  readonly nowMs: () => number;
  readonly retention?: LogRetention | undefined;
  readonly search?: SearchOptions | undefined;
}

/** The request log in PostgreSQL: rows of all instances. */
export class PostgresRequestLog implements RequestLog {
  readonly #sql: Sql;
  readonly #batches: Batches;
  readonly #watch: LogWatch;
  readonly #options: PostgresLogOptions;
  #keeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(sql: Sql, batches: Batches, options: PostgresLogOptions) {
    this.#sql = sql;
    this.#batches = batches;
    this.#watch = new LogWatch(sql, batches);
    this.#options = options;
  }

  append(record: RequestRecord): Promise<void> {
    return this.#batches.submit({ logs: [record.id] }, (view) => view.appendLog(record));
  }

  /** Appends rows, all or none. */
  appendAll(records: readonly RequestRecord[]): Promise<void> {
    const logs = records.map(({ id }) => id);
    return this.#batches.submit({ logs }, (view) => {
      for (const record of records) view.appendLog(record);
    });
  }

  get(id: string): Promise<RequestRecord | undefined> {
    return recordWith(this.#sql, id);
  }

  search(query: RequestQuery): Promise<RequestPage> {
    return searchLog(this.#sql, query, this.#options.search);
  }

  overview(range: OverviewRange): Promise<LogOverview> {
    return overviewOf(this.#sql, range, this.#options.nowMs());
  }

  watch(tell: (record: RequestRecord) => void): () => void {
    return this.#watch.watch(tell);
  }

  /** Counts new rows and deletes expired ones. To be called each second or so, on all instances. */
  tick(): Promise<void> {
    return this.#keeping ??= this.#keep().finally(() => this.#keeping = undefined);
  }

  /** Adds all rows to the sums, unless another instance is doing so. */
  async count(): Promise<void> {
    while (!this.#isClosed && await countRows(this.#sql, this.#options.nowMs()) > 0);
  }

  /** Deletes expired rows and sums, unless another instance is doing so. */
  async trim(): Promise<void> {
    const { nowMs, retention: { records = LOG_RECORDS, ageMs = LOG_AGE_MS } = {} } = this.#options;
    const limits = { records, beforeMs: nowMs() - ageMs };
    while (!this.#isClosed && await trimPart(this.#sql, limits) > 0);
    await trimSums(this.#sql, nowMs());
  }

  /** Ends all watching; resolves when nothing is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#keeping, this.#watch.close()]);
  }

  async #keep(): Promise<void> {
    try {
      await this.count();
      await this.trim();
    } catch (error) {
      // Sums are exact without it, and old rows stay until the next deletion.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}
