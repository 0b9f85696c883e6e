/**
 * The reason why an upstream did not list its models.
 *
 * @module
 */

import { ModelListError } from "../ports/upstream.ts";
import type { Stop } from "./openai_compatible/exchange.ts";

/** Statuses of servers without a list of models. */
const UNLISTED: readonly number[] = [404, 405, 501];
const REFUSED: readonly number[] = [401, 403];

/** Returns the error for a status other than 200. */
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
  connect_failed: "It accepts no connection",
};

/**
 * Returns the reason why there is no list: this side stopped, or the error. It may contain secrets.
 */
export function whyNoList(stopped: Stop | undefined, cause: unknown): string {
  if (stopped !== undefined) return STOPPED[stopped];
  // `fetch` only reports that it failed; the reason is in its cause.
  const error = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : cause;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the error for the operator. `why` contains no secrets. */
export function modelListError(upstream: string, why: string, cause: unknown): ModelListError {
  const reason = cause instanceof ModelListError ? cause.reason : "failed";
  const message = `Cannot list the models of upstream "${upstream}": ${why}`;
  return new ModelListError(reason, message, { cause });
}
