import { z } from "zod";
import {
  COMMENT_MAX_CHARS,
  DEFAULT_SOURCE,
  SOURCE_MAX_CHARS,
} from "../../domain/requests/feedback.ts";

/** Body of `POST /api/v1/feedback`. */
export const feedbackRequestSchema = z.strictObject({
  request_id: z.string().min(1).max(128).describe(
    "`metadata.request_id` of the answer, or the `log_…` id of its row in the request log",
  ),
  score: z.number().min(0).max(1).describe("From 0 (bad) to 1 (good)"),
  comment: z.string().max(COMMENT_MAX_CHARS).optional().describe("Reason, for the operator"),
  source: z.string().min(1).max(SOURCE_MAX_CHARS).default(DEFAULT_SOURCE).describe(
    "Name of what votes: each source has one vote on a request",
  ),
}).meta({ id: "FeedbackRequest" });

/** Answer of `POST /api/v1/feedback`. */
export const feedbackSchema = z.strictObject({
  success: z.literal(true),
  data: z.strictObject({
    request_id: z.string(),
    log_id: z.string().describe("Of the row in the request log: callers may repeat theirs"),
    source: z.string(),
    score: z.number(),
  }),
}).meta({ id: "Feedback" });
