import type { Endpoint, ErrorCode, RoutingMetadata } from "@svc/sdk/protocol";

/** Why a model was not routed to. */
export interface ExclusionRecord {
  readonly model: string;
  readonly stage: string;
  readonly reason: string;
}

/** One request as the operator sees it. Never holds a prompt, an answer or a key. */
export interface RequestRecord {
  /** `log_…`, the row's own id: callers may repeat theirs. */
  readonly id: string;
  readonly requestId: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly walletId: string;
  readonly endpoint: Endpoint;
  readonly stream: boolean;
  /** HTTP status sent to the caller. */
  readonly status: number;
  /** `ok`, or how it ended otherwise. `killed`: the gateway died while it answered. */
  readonly outcome: "ok" | "error" | "client_left" | "cut" | "killed";
  readonly errorCode?: ErrorCode | undefined;
  readonly durationMs: number;
  /** Milliseconds to the first byte of a stream. */
  readonly firstByteMs?: number | undefined;
  readonly routing?: RoutingMetadata | undefined;
  readonly exclusions?: readonly ExclusionRecord[] | undefined;
  readonly holdIds: readonly string[];
  /** Credits, decimal string. */
  readonly charged: string;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
}

/** What to search for; all given conditions must hold. */
export interface RequestQuery {
  readonly requestId?: string | undefined;
  readonly keyId?: string | undefined;
  /** A status (`429`) or a class (`4xx`). */
  readonly status?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Recent requests, in bounded number. */
export interface RequestLog {
  /** Becomes durable together with the ledger commands of the same turn. */
  append(record: RequestRecord): Promise<void>;
  /** By the row's id. */
  get(id: string): Promise<RequestRecord | undefined>;
  /** Newest first. */
  search(
    query: RequestQuery,
  ): Promise<{ records: readonly RequestRecord[]; cursor?: string | undefined }>;
}
