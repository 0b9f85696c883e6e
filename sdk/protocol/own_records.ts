/**
 * A key's own records on the wire: the key, its usage and its requests. An extension of the
 * interface.
 *
 * @module
 */

import type { ErrorCode } from "./error.ts";
import type { Extensible } from "./extensible.ts";
import type { RoutingAttempt, RoutingMetadata } from "./metadata.ts";
import type { OrchestrationTask } from "./orchestration.ts";

/** A limit of the rate. */
export interface RemainingLimit {
  /** The limit itself. */
  limit: number;
  /** Remainder of it now. */
  remaining: number;
}

/** Budget of the calls of a key that have a user or a tag. Amounts are decimal strings of credits. */
export interface OwnNamedBudget extends Extensible {
  /** The user; null for a tag. */
  user: string | null;
  /** The tag, `name=value`; null for a user. */
  tag: string | null;
  /** Spend of these calls since the policy has the budget; days and months are UTC. */
  spend: { held: string; day: string; month: string; total: string };
  /** Rest of the budget, beyond what calls in flight hold; null without one. */
  remaining: { day: string | null; month: string | null; total: string | null };
}

/** `GET /api/v1/key`: a key as its holder sees it. Amounts are decimal strings of credits. */
export interface OwnKey extends Extensible {
  /** Id of the key, `key_…`. */
  id: string;
  /** Name that the operator chose. */
  name: string;
  /** Always `active`: other keys are refused. */
  status: "active" | "disabled" | "revoked";
  /** The policy as the operator wrote it: an absent field restricts nothing. */
  policy: Record<string, unknown>;
  /** Enough of the key to recognise it. */
  hint: string;
  /** ISO 8601 time, UTC. */
  createdAt: string;
  /** ISO 8601 time, UTC, at most a minute old. */
  lastUsedAt: string | null;
  /** Id of the key that it replaces. */
  rotatedFrom: string | null;
  /** True when content is logged with the key's requests, with secrets removed. */
  logContent: boolean;
  /** ISO 8601 time, UTC, after which the key is refused; null without one. */
  expiresAt: string | null;
  /** Spend of the key and all that it replaced; days and months are UTC. */
  spend: { held: string; day: string; month: string; total: string };
  /** Rest of the key's budgets, beyond what calls in flight hold; null without a budget. */
  remaining: { day: string | null; month: string | null; total: string | null };
  /** The policy's budgets of users and tags, in its order. */
  budgets: OwnNamedBudget[];
  /** Limits of the rate; null without the limit. */
  limits: {
    requestsPerMinute: RemainingLimit | null;
    tokensPerMinute: RemainingLimit | null;
    concurrentRequests: RemainingLimit | null;
  };
  /** The pinned embedding model of the key and all that it replaced; null before the first call. */
  embeddings: PinnedEmbeddings | null;
  /** The wallet that pays; null where the policy hides it. */
  wallet: { id: string; tier: string; available: string; held: string } | null;
}

/** The embedding model of a key: its vectors compare as long as it stays. */
export interface PinnedEmbeddings {
  /** Catalog id. */
  model: string;
  /** Length of the vectors; null before the first answer. */
  dimensions: number | null;
  /** Origin of the choice. */
  source: "first_call" | "policy" | "operator";
  /** ISO 8601 time, UTC; null for a policy before the first answer. */
  since: string | null;
}

/** `POST /api/v1/key/sign-in-link`: signs a person in to the key's own pages, once. */
export interface SignInLink extends Extensible {
  /** Address for a browser, with the code behind its `#`. */
  url: string;
  /** The code alone, `svc_link_…`. */
  code: string;
  /** ISO 8601 time, UTC, ten minutes later. */
  expiresAt: string;
}

/** Usage of a group. */
export interface OwnUsageRow extends Extensible {
  /** The UTC day, `2026-11-21`, of usage by day. */
  day?: string;
  /** Catalog id of the model, of usage by model. */
  model?: string;
  /** The user, of usage by user. */
  user?: string;
  /** The value of the tag, of usage by tag. */
  value?: string;
  /** Of usage by user or tag; `none`: without one, `other`: all beyond the maximum. */
  kind?: "named" | "none" | "other";
  /** Number of requests; a split one counts once for each model. */
  requests: number;
  /** Prompt tokens, cached ones included. */
  inputTokens: number;
  /** Prompt tokens read from the provider's cache. */
  cachedInputTokens: number;
  /** Completion tokens, reasoning included. */
  outputTokens: number;
  /** Credits, decimal string. */
  charged: string;
  /** Credits beyond a hold: counted, never charged. */
  writtenOff: string;
}

/** `GET /api/v1/usage`. */
export interface OwnUsage extends Extensible {
  /** The grouping. */
  by: "day" | "model" | "user" | `tag:${string}`;
  /** Days in their order; all others by cost, dearest first. */
  usage: OwnUsageRow[];
  /** Cursor of the next page; null on the last. */
  cursor: string | null;
}

/** A row of the request log. */
export interface OwnRequestSummary extends Extensible {
  /** Id of the row, `log_…`: callers may repeat theirs. */
  id: string;
  /** The `X-Request-ID` of the call. */
  requestId: string;
  /** ISO 8601 time, UTC. */
  at: string;
  /** The endpoint by its short name, as `chat`. */
  endpoint: string;
  /** The `user` of the call; null without one. */
  user: string | null;
  /** The `safety_identifier` of the call; null without one. */
  safetyIdentifier: string | null;
  /** Tags of the call by name. */
  tags: { [name: string]: string };
  /** True for a stream. */
  stream: boolean;
  /** HTTP status; 499 where the caller had left. */
  status: number;
  /** The ending of the call. */
  outcome: "ok" | "error" | "client_left" | "cut" | "killed";
  /** Code of the error; null without one. */
  errorCode: ErrorCode | null;
  /** Catalog id of the model that answered. */
  model: string | null;
  /** Provider that served it. */
  provider: string | null;
  /** Duration in milliseconds. */
  durationMs: number;
  /** Milliseconds to the first byte of a stream. */
  firstByteMs: number | null;
  /** Prompt tokens, cached ones included. */
  inputTokens: number;
  /** Prompt tokens read from the provider's cache. */
  cachedInputTokens: number;
  /** Completion tokens, reasoning included. */
  outputTokens: number;
  /** True where tokens were counted, since the provider reported none. */
  estimated: boolean;
  /** Credits, decimal string. */
  charged: string;
}

/** `GET /api/v1/requests`. */
export interface OwnRequestList extends Extensible {
  /** The page. It may be shorter than `limit`, or empty, before the last one. */
  requests: OwnRequestSummary[];
  /** Cursor of the next page; null on the last. */
  cursor: string | null;
  /** Start of this page: with the other order it leads to the page before. */
  start: string | null;
}

/** An attempt at an upstream, with its place in time. */
export interface OwnAttempt extends Extensible {
  /** Id of the task of a split request; null for its answer. */
  task: string | null;
  /** Catalog id of the model. */
  model: string;
  /** Provider of the model. */
  provider: string;
  /** Outcome of the attempt. */
  outcome: string;
  /** HTTP status of the upstream's answer. */
  status: number | null;
  /** Duration in milliseconds. */
  ms: number;
  /** Start, in milliseconds since the request began. */
  startMs?: number | null;
}

/** A hold of a request, and its end. Amounts are decimal strings of credits. */
export interface OwnHold extends Extensible {
  /** Id of the hold. */
  id: string;
  /** Catalog id of the model. */
  model: string | null;
  /** Catalog version whose prices apply. */
  priceVersion: number | null;
  /** State of the hold; `unknown` where the journal was not found. */
  state: "settled" | "voided" | "expired" | "open" | "unknown";
  /** Credits that were held. */
  held: string | null;
  /** Credits that were charged. */
  charged: string | null;
  /** Credits that were given back. */
  returned: string | null;
}

/** A task of a split request. */
export interface OwnTask extends Extensible {
  /** Id of the task; `final` is the answer. */
  taskId: string;
  /** Ids of the tasks whose results it reads. */
  dependsOn: string[];
  /** Ending of the task. */
  status: OrchestrationTask["status"];
  /** Catalog id of the model that served it. */
  model: string | null;
  /** Credits, decimal string. */
  charged: string;
  /** Its attempts. */
  attempts: OwnAttempt[];
}

/** `GET /api/v1/requests/{id}`: one request, without any text of the call. */
export interface OwnRequest extends OwnRequestSummary {
  /** The route, as `metadata.routing` of the answer had it. */
  routing: Partial<RoutingMetadata> | null;
  /** The attempts of the answer. */
  attempts: RoutingAttempt[];
  /** All attempts, those of tasks first. */
  timeline: OwnAttempt[];
  /** The bill: `complete` is true when every hold and its end were found. */
  settlement: { charged: string; complete: boolean; holds: OwnHold[] };
  /** The tasks of a request that was split. */
  tasks: OwnTask[] | null;
}
