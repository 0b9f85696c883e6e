/**
 * Votes of callers on answers: finds the request that a vote names, and stores the vote.
 *
 * @module
 */

import type { FeedbackRequest, FeedbackVote } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { loadOf } from "../../domain/learning/estimate.ts";
import {
  EMPTY_WINDOW,
  type MinuteWindow,
  takeFromMinute,
} from "../../domain/limits/rate_limits.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { draws } from "../../domain/routing/hold_shape.ts";
import { redacted } from "../../domain/redaction/redact.ts";
import {
  COMMENT_MAX_CHARS,
  DEFAULT_SOURCE,
  FEEDBACK_MS,
  FEEDBACK_PER_MINUTE,
  SOURCES_MAX,
  type VotedCall,
  votedCallOf,
} from "../../domain/requests/feedback.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RequestLog, RequestQuery, RequestRecord } from "../../ports/request_log.ts";
import type { VoteStore } from "../../ports/vote_store.ts";
import { BoundedMap } from "../../system/bounded_map.ts";
import { idTimeMs } from "../../system/rng.ts";

/** Maximum number of keys whose votes are counted. */
const KEYS_MAX = 20_000;
/** Maximum number of requests of one id that are looked at. */
const MATCHES_MAX = 20;

/** Parts of the service that votes use. */
export interface FeedbackDeps {
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Pick<RequestLog, "search">;
  readonly votes: Pick<VoteStore, "put">;
}

/** A request, and its call that a vote counts for. */
interface Voted {
  readonly record: RequestRecord;
  readonly call: VotedCall;
}

/** Takes the votes of callers. */
export class Feedback {
  readonly #deps: FeedbackDeps;
  readonly #minutes = new BoundedMap<string, MinuteWindow>(KEYS_MAX);

  constructor(deps: FeedbackDeps) {
    this.#deps = deps;
  }

  /** Counts a vote before its body is read. Throws a {@linkcode ServiceFault} if there are too many. */
  admit({ id }: Pick<KeyRecord, "id">): void {
    const limit = FEEDBACK_PER_MINUTE;
    const { state, verdict } = takeFromMinute(this.#minutes.get(id) ?? EMPTY_WINDOW, {
      ...{ amount: 1, limit, nowMs: this.#deps.clock.nowMs() },
    });
    this.#minutes.set(id, state);
    if (verdict.allowed) return;
    throw new ServiceFault("rate_limit_exceeded", {
      message: `A key may send ${limit} votes a minute; wait as long as Retry-After says`,
      retryAfterMs: verdict.retryAfterMs,
    });
  }

  /**
   * Stores a vote; resolves once it is durable. Throws a {@linkcode ServiceFault} if the key's wallet
   * has no such request, if it has several, if the source has voted otherwise before, or if too many
   * other sources have voted.
   */
  async vote(
    { id: keyId, walletId }: Pick<KeyRecord, "id" | "walletId">,
    { request_id: requestId, score, comment, source = DEFAULT_SOURCE }: FeedbackRequest,
  ): Promise<FeedbackVote> {
    const { record, call: { model, task, difficulty } } = votedAmong(
      await this.#requestsOf(walletId, requestId),
      requestId,
    );
    const stored = await this.#deps.votes.put({
      logId: record.id,
      ...{ walletId, keyId, source, score },
      // Comments are texts of callers, like logged content.
      comment: comment === undefined ? undefined : redacted(comment, COMMENT_MAX_CHARS),
      atMs: this.#deps.clock.nowMs(),
      ...{ model, task },
      // Estimates for requests that draw do not count their difficulty.
      load: draws(record) ? 1 : loadOf(difficulty),
    });
    if (stored === "conflict") {
      throw conflict(
        `The source ${JSON.stringify(source)} has voted on this request with ` +
          "another score; a vote cannot be changed",
        "score",
      );
    }
    if (stored === "full") {
      throw conflict(
        `${SOURCES_MAX} sources have voted on this request; no other may`,
        "source",
      );
    }
    return { request_id: record.requestId, log_id: record.id, source, score };
  }

  /** Returns the requests of a wallet that an id names: of a row, or as the caller chose it. */
  async #requestsOf(walletId: string, id: string): Promise<readonly RequestRecord[]> {
    const nowMs = this.#deps.clock.nowMs();
    const sinceMs = nowMs - FEEDBACK_MS;
    if (id.startsWith("log_")) {
      const rows = await this.#search({ id, walletId, sinceMs, order: "oldest", limit: 1 });
      if (rows.length > 0) return rows;
    }
    // No request has an id of the gateway before the gateway made it.
    const madeMs = id.startsWith("req_") ? idTimeMs(id) : undefined;
    const fromMs = madeMs === undefined || madeMs > nowMs ? sinceMs : Math.max(sinceMs, madeMs);
    const limit = MATCHES_MAX;
    return await this.#search({ requestId: id, walletId, sinceMs: fromMs, limit });
  }

  /** Reads until the limit; a page of a long log may end before. */
  async #search(query: RequestQuery): Promise<readonly RequestRecord[]> {
    const records: RequestRecord[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#deps.log.search({ ...query, cursor });
      records.push(...page.records);
      cursor = page.cursor;
    } while (cursor !== undefined && records.length < query.limit);
    return records;
  }
}

/** Returns the one answered request. A repetition of a failed request has its id and its answer. */
function votedAmong(records: readonly RequestRecord[], requestId: string): Voted {
  const results = records.map((record) => ({ record, result: votedCallOf(record) }));
  const voted = results.flatMap(({ record, result }) =>
    result.ok ? [{ record, call: result.call }] : []
  );
  const [only] = voted;
  if (voted.length > 1) {
    const ids = voted.map(({ record }) => record.id);
    const named = `${ids.slice(0, 8).join(", ")}${ids.length > 8 ? ", …" : ""}`;
    throw conflict(
      `${ids.length} requests have the id ${JSON.stringify(requestId)}; ` +
        `vote with the id of one: ${named}`,
      "request_id",
      { log_ids: ids },
    );
  }
  if (only !== undefined) return only;
  for (const { result } of results) if (!result.ok) throw conflict(result.reason, "request_id");
  throw new ServiceFault("not_found", {
    message:
      "The key's wallet has no request of this id in the last 7 days, in which a vote is taken",
    param: "request_id",
  });
}

function conflict(
  message: string,
  param: string,
  members: Readonly<Record<string, unknown>> = {},
): ServiceFault {
  const headers = { "x-should-retry": "false" };
  return new ServiceFault("conflict", { message, param, members, headers });
}
