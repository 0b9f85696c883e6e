import type { RequestFilter, RequestRecord } from "../domain/requests/record.ts";
import type { Rollup } from "../domain/requests/rollup.ts";

export type {
  AttemptWords,
  ContentRecord,
  ExclusionRecord,
  OtherUse,
  RequestFilter,
  RequestRecord,
  ScoreRecord,
  TaskRecord,
  UsageProblem,
} from "../domain/requests/record.ts";

/** A page of requests. */
export interface RequestQuery extends RequestFilter {
  /** By the time at which requests ended. @default {"newest"} */
  readonly order?: "newest" | "oldest" | undefined;
  readonly limit: number;
  /** Between two rows: the page begins there. */
  readonly cursor?: string | undefined;
}

/** Requests that were found. */
export interface RequestPage {
  readonly records: readonly RequestRecord[];
  /** Where the next page of the same order begins; absent on the last. */
  readonly cursor?: string | undefined;
  /** Where this page began: the page before is read from there in the other order. */
  readonly start?: string | undefined;
}

/** What the requests of a time come to. */
export interface LogOverview {
  /** Rounded down to the step. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly stepMs: number;
  readonly total: Rollup;
  /** One a step that had any requests, in their order. */
  readonly series: readonly { readonly atMs: number; readonly rollup: Rollup }[];
  /** Rows of an older store that are not counted in yet. */
  readonly uncounted: number;
}

/** Recent requests, in bounded number. */
export interface RequestLog {
  /** Becomes durable together with the ledger commands of the same turn. */
  append(record: RequestRecord): Promise<void>;
  /** By the row's id. */
  get(id: string): Promise<RequestRecord | undefined>;
  search(query: RequestQuery): Promise<RequestPage>;
  /** The sums of a time; `stepMs` is rounded up to what is kept. */
  overview(
    range: { sinceMs: number; untilMs: number; stepMs?: number | undefined },
  ): Promise<LogOverview>;
  /** Tells of every row once it is durable, in their order; the function returned ends that. */
  watch(tell: (record: RequestRecord) => void): () => void;
}
