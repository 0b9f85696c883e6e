import type { RequestFilter, RequestRecord } from "../domain/requests/record.ts";
import type { Rollup } from "../domain/requests/rollup.ts";

export type {
  AttemptMessage,
  ContentRecord,
  ExclusionRecord,
  OtherUse,
  RequestFilter,
  RequestRecord,
  ScoreRecord,
  TaskRecord,
  UsageProblem,
} from "../domain/requests/record.ts";
export type { KilledRow } from "../domain/requests/request_sum.ts";

/** A query for a page of requests. */
export interface RequestQuery extends RequestFilter {
  /** Order by the end of requests. @default {"newest"} */
  readonly order?: "newest" | "oldest" | undefined;
  readonly limit: number;
  /** Position between two rows at which the page begins. */
  readonly cursor?: string | undefined;
}

/** A page of requests. */
export interface RequestPage {
  readonly records: readonly RequestRecord[];
  /** Cursor of the next page of the same order; absent on the last. */
  readonly cursor?: string | undefined;
  /** Start of this page: the previous page is read from there in the other order. */
  readonly start?: string | undefined;
}

/** The sums of the requests of a period. */
export interface LogOverview {
  /** Start, rounded down to the step. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly stepMs: number;
  readonly total: Rollup;
  /** One entry per step with requests, in order. */
  readonly series: readonly { readonly atMs: number; readonly rollup: Rollup }[];
  /** Rows of an older store that are not yet included. */
  readonly uncounted: number;
}

/** A bounded log of recent requests. */
export interface RequestLog {
  /** Appends a row. It becomes durable together with the ledger commands of the same turn. */
  append(record: RequestRecord): Promise<void>;
  /** Returns a row by its id. */
  get(id: string): Promise<RequestRecord | undefined>;
  search(query: RequestQuery): Promise<RequestPage>;
  /** Returns the sums of a period; `stepMs` is rounded up to the stored resolution. */
  overview(
    range: { sinceMs: number; untilMs: number; stepMs?: number | undefined },
  ): Promise<LogOverview>;
  /** Calls `tell` for every row once it is durable, in order. The returned function ends that. */
  watch(tell: (record: RequestRecord) => void): () => void;
}
