/**
 * Records of requests, and filters of records.
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
import type { Attribution } from "./attribution.ts";

/** Ways in which a request ends; `killed`: the gateway died while it answered. */
export const OUTCOMES = ["ok", "error", "client_left", "cut", "killed"] as const;

/** The reason for excluding a model from routing. */
export interface ExclusionRecord {
  readonly model: string;
  readonly stage: string;
  readonly reason: string;
}

/** Score of a candidate, in the order of the plan. */
export interface ScoreRecord {
  readonly model: string;
  readonly score: number;
}

/** Charge of a request or task for another model than the one that answered it. */
export interface OtherUse {
  /**
   * Catalog id of a model that was tried earlier, or the name of a hosted tool, as in the journal.
   */
  readonly model: string;
  /** Empty for a hosted tool. */
  readonly provider: string;
  readonly ms: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Credits, decimal string. */
  readonly charged: string;
}

/** A task of a split request. Has no title, since titles contain the caller's words. */
export interface TaskRecord {
  readonly taskId: string;
  readonly dependsOn: readonly string[];
  readonly status: OrchestrationTask["status"];
  /** Catalog id of the model that served it; absent if none did. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** Start, in milliseconds since the request began; absent if the task never began. */
  readonly startMs?: number | undefined;
  readonly ms?: number | undefined;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Credits, decimal string. */
  readonly charged: string;
  /** Share of other models in that charge. */
  readonly others?: readonly OtherUse[] | undefined;
  /** Attempts of the task. */
  readonly attempts: readonly RoutingAttempt[];
}

/** A report of usage that cannot be true. */
export interface UsageProblem {
  /** Catalog id of the model. */
  readonly model: string;
  /** One sentence: the reported usage, and why it was rejected. */
  readonly problem: string;
}

/**
 * An upstream's message about a failed attempt, bounded, without secrets and without text of the
 * request. Never visible to key holders.
 */
export interface AttemptMessage {
  /** Task of a split request; absent for its answer, and for unsplit requests. */
  readonly taskId?: string | undefined;
  /** Number of the attempt, from 0. */
  readonly attempt: number;
  readonly words: string;
}

/** Prompt and answer, bounded and without secrets; only for keys with a content log. */
export interface ContentRecord {
  readonly prompt: string;
  readonly answer: string;
  /** True when either was cut. */
  readonly isCut: boolean;
}

/**
 * One request as the operator sees it. Never contains a key; contains a prompt and an answer only
 * if the operator enabled that for the key.
 */
export interface RequestRecord {
  /** Id of the record, `log_…`: callers may repeat request ids. */
  readonly id: string;
  readonly requestId: string;
  readonly atMs: number;
  readonly keyId: string;
  readonly walletId: string;
  readonly endpoint: Endpoint;
  /** The names that the caller gave the call. */
  readonly attribution?: Attribution | undefined;
  readonly stream: boolean;
  /** HTTP status sent to the caller. */
  readonly status: number;
  /** Outcome. `killed`: the gateway died while answering. */
  readonly outcome: (typeof OUTCOMES)[number];
  readonly errorCode?: ErrorCode | undefined;
  readonly durationMs: number;
  /** Milliseconds to the first byte of a stream. */
  readonly firstByteMs?: number | undefined;
  readonly routing?: RoutingMetadata | undefined;
  /** Start of each attempt, in milliseconds since the request began. */
  readonly attemptStarts?: readonly number[] | undefined;
  readonly words?: readonly AttemptMessage[] | undefined;
  readonly exclusions?: readonly ExclusionRecord[] | undefined;
  /** Scores of the plan's best candidates. */
  readonly scores?: readonly ScoreRecord[] | undefined;
  /** Tasks of a split request, in the order in which they ended. */
  readonly tasks?: readonly TaskRecord[] | undefined;
  /** Share of other models in the charge, apart from tasks. */
  readonly others?: readonly OtherUse[] | undefined;
  readonly content?: ContentRecord | undefined;
  readonly holdIds: readonly string[];
  /** Credits, decimal string. */
  readonly charged: string;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly estimated: boolean;
  /** Rejected reports: their calls were charged as counted. */
  readonly usageProblems?: readonly UsageProblem[] | undefined;
}

/** Conditions on requests; all present conditions must hold. */
export interface RequestFilter {
  /** Id of the record. */
  readonly id?: string | undefined;
  readonly requestId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly walletId?: string | undefined;
  /** Catalog id of a model that answered or was tried. */
  readonly model?: string | undefined;
  /** Provider that answered or was tried. */
  readonly provider?: string | undefined;
  /** Beginning of the fingerprint of a task of routing. */
  readonly task?: string | undefined;
  readonly endpoint?: Endpoint | undefined;
  /** A tag of the call, as `name=value`. */
  readonly tag?: string | undefined;
  /** The call's `user` or `safety_identifier`. */
  readonly user?: string | undefined;
  readonly outcome?: RequestRecord["outcome"] | undefined;
  readonly errorCode?: string | undefined;
  /** A status (`429`) or a class (`4xx`). */
  readonly status?: string | undefined;
  /** Minimum charge. */
  readonly minCharged?: Micros | undefined;
  /** Part of the record's id or of the request id. */
  readonly text?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}
