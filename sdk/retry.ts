const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** Longest `Retry-After` that is obeyed, in milliseconds; beyond it there is no retry. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** True for a status after which the same request may succeed later. */
export function isTransient(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Input of the wait before the next attempt. */
export interface RetryState {
  /** Attempts so far, from 1. */
  readonly tries: number;
  /** Headers of the last answer; absent without an answer. */
  readonly headers?: Headers | undefined;
  /** A random number from 0 to 1: spreads clients that failed together. */
  readonly random: number;
  /** Unix time in milliseconds, for dates in `Retry-After`. */
  readonly nowMs: number;
}

/**
 * Returns the wait before the next attempt in milliseconds; `undefined` for none, also when the
 * service sends `x-should-retry: false`, because the call was charged or cannot succeed later. The
 * wait is `Retry-After` if present; else it doubles each time, up to 8 s, less up to a quarter.
 */
export function retryWaitMs(state: RetryState): number | undefined {
  if (state.headers?.get("x-should-retry") === "false") return undefined;
  const requestedMs = retryAfterMs(state.headers, state.nowMs);
  if (requestedMs !== undefined) {
    return requestedMs <= LONGEST_RETRY_AFTER_MS ? requestedMs : undefined;
  }
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (state.tries - 1), LONGEST_WAIT_MS);
  return waitMs * (1 - state.random / 4);
}

/** Parses `Retry-After` as seconds or a date; any other value counts as absent. */
function retryAfterMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const text = headers?.get("retry-after")?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  // `Date.parse` accepts nearly anything, "-5" included; a date begins with its weekday.
  const dateMs = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
