/**
 * Why an upstream did not tell its models, from what it answered.
 *
 * @module
 */

import { ModelListError } from "../ports/upstream.ts";
import type { Stop } from "./openai_compatible/exchange.ts";

/** Statuses of servers that have no list of models. */
const UNLISTED: readonly number[] = [404, 405, 501];
const REFUSED: readonly number[] = [401, 403];

/** What an answer that is no 200 means. */
export function modelListRefusal(status: number): ModelListError {
  const reason = UNLISTED.includes(status)
    ? "unlisted"
    : REFUSED.includes(status)
    ? "refused"
    : "failed";
  return new ModelListError(reason, `The answer has status ${status}`);
}

const STOPPED: Readonly<Record<Stop, string>> = {
  cancelled: "The question was cancelled",
  timeout: "It took too long",
  connect_failed: "It takes no connection",
};

/** Why there is no list: this side broke off, or what went wrong. It may hold secrets. */
export function whyNoList(stopped: Stop | undefined, cause: unknown): string {
  if (stopped !== undefined) return STOPPED[stopped];
  // `fetch` only says that it failed; what stood in its way is behind it.
  const error = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : cause;
  return error instanceof Error ? error.message : String(error);
}

/** The error for the operator: `why` is free of secrets. */
export function modelListError(upstream: string, why: string, cause: unknown): ModelListError {
  const reason = cause instanceof ModelListError ? cause.reason : "failed";
  const message = `Cannot list the models of upstream "${upstream}": ${why}`;
  return new ModelListError(reason, message, { cause });
}
