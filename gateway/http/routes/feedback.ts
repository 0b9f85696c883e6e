import type { Handler } from "@hono/hono";
import type { FeedbackResponse } from "@svc/sdk/protocol";
import type { Feedback } from "../../flows/learn/feedback.ts";
import type { PublicEnv } from "../env.ts";
import { readJson } from "../read_json.ts";
import { feedbackRequestSchema } from "../schemas/feedback.ts";
import { validate } from "../validation.ts";

/** Maximum size of a vote, in bytes: a comment of escaped characters fits. */
const FEEDBACK_MAX_BYTES = 16 * 1024;

/** Handles `POST /api/v1/feedback`. */
export function postFeedback(feedback: Pick<Feedback, "admit" | "vote">): Handler<PublicEnv> {
  return async function postFeedbackHandler(c) {
    const key = c.get("key");
    feedback.admit(key);
    const { value } = await readJson(c.req.raw, { maxBytes: FEEDBACK_MAX_BYTES });
    const data = await feedback.vote(key, validate(feedbackRequestSchema, value));
    const answer: FeedbackResponse = { success: true, data };
    return Response.json(answer, {
      headers: { "cache-control": "private, no-store", "x-request-id": c.get("requestId") },
    });
  };
}
