import { requestIdOf } from "../answer.ts";
import type { CallOptions, WithRequestId } from "../call.ts";
import { ConfigurationError } from "../errors.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import type { FeedbackRequest, FeedbackResponse } from "../protocol/mod.ts";
import { CALL_KINDS } from "../run/run_options.ts";
import type { Transport } from "../transport.ts";

/** A vote on an answer. */
export interface Feedback {
  /**
   * The answer's `requestId` or `metadata.request_id`, or the `log_…` id of its row in the request
   * log. An answer without an id cannot be voted on.
   */
  readonly requestId: string | undefined;
  /** From 0 (bad) to 1 (good). */
  readonly score: number;
  /** Reason for the operator, at most 1 000 characters. */
  readonly comment?: string | undefined;
  /**
   * Name of what votes, at most 64 characters; each source has one vote on a request.
   * @default {"caller"}
   */
  readonly source?: string | undefined;
}

const KINDS: OptionKinds<Feedback> = {
  requestId: "text",
  score: "number",
  comment: "text",
  source: "text",
};

/** Sends a vote; used by the client. */
export async function sendFeedback(
  transport: Transport,
  feedback: Feedback,
  options: CallOptions,
): Promise<WithRequestId<FeedbackResponse>> {
  checkOptions(feedback, KINDS, { of: "a vote" });
  checkOptions(options, CALL_KINDS, { of: "a call" });
  const { requestId, score, comment, source } = feedback;
  if (requestId === undefined || requestId === "") {
    throw new ConfigurationError("Cannot vote: requestId is missing");
  }
  const body: FeedbackRequest = {
    ...{ request_id: requestId, score },
    ...(comment === undefined ? {} : { comment }),
    ...(source === undefined ? {} : { source }),
  };
  const path = "/api/v1/feedback";
  const { answer, value } = await transport.json({
    ...{ method: "POST", base: "api", path, body },
    ...options,
  });
  const response = value as FeedbackResponse;
  if (typeof Object(response.data).log_id !== "string") {
    throw answer.error(value, "The service answered with something else than the vote");
  }
  return { ...response, requestId: requestIdOf(value, answer.response) };
}
