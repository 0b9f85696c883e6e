/**
 * What is kept of a request, and what requests are looked for.
 *
 * @module
 */

import type {
  Endpoint,
  ErrorCode,
  OrchestrationTask,
  RoutingAttempt,
  RoutingMetadata,
} from "@svc/sdk/protocol";
import type { Micros } from "../ledger/money.ts";

/** Ways in which a request ends; `killed`: the gateway died while it answered. */
export const OUTCOMES = ["ok", "error", "client_left", "cut", "killed"] as const;

/** Why a model was not routed to. */
export interface ExclusionRecord {
  readonly model: string;
  readonly stage: string;
  readonly reason: string;
}

/** What a model that could serve the request scored, in the order of the plan. */
export interface ScoreRecord {
  readonly model: string;
  readonly score: number;
}

/** What a request or a task was charged for that the model it is named after did not do. */
export interface OtherUse {
  /** Catalog id of a model that was tried before, or the name of a hosted tool: as in the journal. */
  readonly model: string;
  /** Empty of a hosted tool. */
  readonly provider: string;
  readonly ms: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Credits, decimal string. */
  readonly charged: string;
}

/** A part of a request that was split. Has no title: that is made of the caller's words. */
export interface TaskRecord {
  readonly taskId: string;
  readonly dependsOn: readonly string[];
  readonly status: OrchestrationTask["status"];
  /** Catalog id of the model that served it; absent where none did. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** When it began, in milliseconds since the request did; absent where it never did. */
  readonly startMs?: number | undefined;
  readonly ms?: number | undefined;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Credits, decimal string. */
  readonly charged: string;
  /** What of that is not its model's. */
  readonly others?: readonly OtherUse[] | undefined;
  /** Upstream calls that were tried for it. */
  readonly attempts: readonly RoutingAttempt[];
}

/** Usage that an upstream reported and that cannot be true. */
export interface UsageProblem {
  /** Catalog id of the model. */
  readonly model: string;
  /** One sentence: what was reported, and why it was not taken. */
  readonly problem: string;
}

/**
 * An upstream's words of a failed attempt: without secrets, without text of the request, cut to a
 * bound. Key holders never have it.
 */
export interface AttemptWords {
  /** Of which task of a split request; absent of its answer, and where none was split. */
  readonly taskId?: string | undefined;
  /** The number of the attempt, from 0. */
  readonly attempt: number;
  readonly words: string;
}

/** What was said, with secrets taken out and cut to a bound: of keys that log it alone. */
export interface ContentRecord {
  readonly prompt: string;
  readonly answer: string;
  /** Either was longer than what is kept. */
  readonly isCut: boolean;
}

/**
 * One request as the operator sees it. Never holds a key; a prompt or an answer only where the
 * operator switched that on for the key.
 */
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
  readonly outcome: (typeof OUTCOMES)[number];
  readonly errorCode?: ErrorCode | undefined;
  readonly durationMs: number;
  /** Milliseconds to the first byte of a stream. */
  readonly firstByteMs?: number | undefined;
  readonly routing?: RoutingMetadata | undefined;
  /** When each of the route's attempts began, in milliseconds since the request did. */
  readonly attemptStarts?: readonly number[] | undefined;
  readonly words?: readonly AttemptWords[] | undefined;
  readonly exclusions?: readonly ExclusionRecord[] | undefined;
  /** The best of the plan's candidates. */
  readonly scores?: readonly ScoreRecord[] | undefined;
  /** Of a request that was split, in the order in which they ended. */
  readonly tasks?: readonly TaskRecord[] | undefined;
  /** What beside its tasks is not of the model that it was routed to. */
  readonly others?: readonly OtherUse[] | undefined;
  readonly content?: ContentRecord | undefined;
  readonly holdIds: readonly string[];
  /** Credits, decimal string. */
  readonly charged: string;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
  /** Reports that were not taken: their calls were charged as counted. */
  readonly usageProblems?: readonly UsageProblem[] | undefined;
}

/** What requests are looked for; all given conditions must hold. */
export interface RequestFilter {
  /** The row's own. */
  readonly id?: string | undefined;
  readonly requestId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Catalog id of a model that answered or was tried. */
  readonly model?: string | undefined;
  /** Provider that answered or was tried. */
  readonly provider?: string | undefined;
  readonly endpoint?: Endpoint | undefined;
  readonly outcome?: RequestRecord["outcome"] | undefined;
  readonly errorCode?: string | undefined;
  /** A status (`429`) or a class (`4xx`). */
  readonly status?: string | undefined;
  /** Least charge. */
  readonly minCharged?: Micros | undefined;
  /** Part of the row's id or of the request id. */
  readonly text?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}
