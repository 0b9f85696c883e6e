/**
 * Feedback: votes of callers on answers.
 *
 * @module
 */

import type { RequestRecord } from "./record.ts";

/** Maximum length of a comment, in UTF-16 code units. */
export const COMMENT_MAX_CHARS = 1_000;
/** Maximum length of the name of a source, in UTF-16 code units. */
export const SOURCE_MAX_CHARS = 64;
/**
 * Maximum sources that vote on one request. Callers choose the names of sources, and votes cost
 * nothing: without a bound one cheap request would be any number of outcomes.
 */
export const SOURCES_MAX = 16;
/** Source of votes that name none. */
export const DEFAULT_SOURCE = "caller";
/** Time after the start of a request in which votes on it are taken, in milliseconds: 7 days. */
export const FEEDBACK_MS = 7 * 86_400_000;
/** Votes that one key may send per minute, the refused ones included. */
export const FEEDBACK_PER_MINUTE = 120;

/** The part of a request that a vote counts for: that of the call that answered. */
export interface VotedCall {
  /** Catalog id of the model. */
  readonly model: string;
  readonly task: string;
  readonly difficulty: number;
}

/** The call that a vote on a request counts for, or the reason why there is none. */
export type VotedCallResult =
  | { readonly ok: true; readonly call: VotedCall }
  | { readonly ok: false; readonly reason: string };

/**
 * Returns the call that a vote on a request counts for. A split request's vote counts for the model
 * of its final answer.
 */
export function votedCallOf({ outcome, errorCode, routing }: RequestRecord): VotedCallResult {
  if (outcome !== "ok") {
    const reason = outcome === "client_left"
      ? "its caller disconnected before the end"
      : `it ended with ${errorCode ?? outcome}`;
    return { ok: false, reason: `The request has no complete answer to vote on: ${reason}` };
  }
  const { model, task, difficulty } = routing ?? {};
  if (model === undefined) return { ok: false, reason: "No model answered the request" };
  if (task === undefined || difficulty === undefined) {
    return { ok: false, reason: "The request belongs to no task, so nothing is learned from it" };
  }
  return { ok: true, call: { model, task, difficulty } };
}
