/**
 * Feedback on the wire: votes on answers, from which `auto` learns.
 *
 * @module
 */

/** Body of `POST /api/v1/feedback`. */
export interface FeedbackRequest {
  /** The `request_id` of the answer's metadata, or the `log_…` id of its row in the request log. */
  request_id: string;
  /** From 0 (bad) to 1 (good). */
  score: number;
  /** Reason for the operator, at most 1 000 characters. */
  comment?: string | undefined;
  /**
   * Name of what votes, at most 64 characters; each source has one vote on a request.
   * @default {"caller"}
   */
  source?: string | undefined;
}

/** A stored vote. */
export interface FeedbackVote {
  /** Id of the request, as its answer named it. */
  request_id: string;
  /** Id of its row in the request log, which is unique. */
  log_id: string;
  /** Name of what voted. */
  source: string;
  /** From 0 (bad) to 1 (good). */
  score: number;
}

/** `POST /api/v1/feedback`. */
export interface FeedbackResponse {
  /** Always true: a failure is an error envelope with its own status. */
  success: true;
  /** The vote as it is stored; the same for a repetition. */
  data: FeedbackVote;
}
