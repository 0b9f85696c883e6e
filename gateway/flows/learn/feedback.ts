/**
 * Votes of callers on answers: finds the request that a vote names, and stores the vote.
 *
 * @module
 */

import type { FeedbackRequest, FeedbackVote } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { loadOf } from "../../domain/learning/estimate.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { draws, embeds } from "../../domain/routing/hold_shape.ts";
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
import type { RequestLog, RequestRecord } from "../../ports/request_log.ts";
import type { VoteStore } from "../../ports/vote_store.ts";
import { MinuteQuota } from "../admit/minute_quota.ts";
import { requestsNamed, severalRequests } from "../request/named_requests.ts";

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
  readonly #quota: MinuteQuota;

  constructor(deps: FeedbackDeps) {
    this.#deps = deps;
    this.#quota = new MinuteQuota({
      ...{ clock: deps.clock, limit: FEEDBACK_PER_MINUTE },
      message: `A key may send ${FEEDBACK_PER_MINUTE} votes a minute`,
    });
  }

  /** Counts a vote before its body is read. Throws a {@linkcode ServiceFault} if there are too many. */
  admit(key: Pick<KeyRecord, "id">): void {
    this.#quota.take(key);
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
    const nowMs = this.#deps.clock.nowMs();
    const { record, call: { model, task, difficulty } } = votedAmong(
      await requestsNamed(requestId, {
        ...{ log: this.#deps.log, walletId, nowMs },
        sinceMs: nowMs - FEEDBACK_MS,
      }),
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
      load: draws(record) || embeds(record) ? 1 : loadOf(difficulty),
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
}

/** Returns the one answered request. A repetition of a failed request has its id and its answer. */
function votedAmong(records: readonly RequestRecord[], requestId: string): Voted {
  const results = records.map((record) => ({ record, result: votedCallOf(record) }));
  const voted = results.flatMap(({ record, result }) =>
    result.ok ? [{ record, call: result.call }] : []
  );
  const [only] = voted;
  if (voted.length > 1) {
    throw severalRequests(requestId, {
      ids: voted.map(({ record }) => record.id),
      remedy: "vote with the id of one",
      param: "request_id",
    });
  }
  if (only !== undefined) return only;
  for (const { result } of results) if (!result.ok) throw conflict(result.reason, "request_id");
  throw new ServiceFault("not_found", {
    message:
      "The key's wallet has no request of this id in the last 7 days, in which a vote is taken",
    param: "request_id",
  });
}

function conflict(message: string, param: string): ServiceFault {
  const headers = { "x-should-retry": "false" };
  return new ServiceFault("conflict", { message, param, headers });
}
