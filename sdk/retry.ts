const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A service that wants to be left alone for longer is not asked again. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Whether the same request may succeed later, by the status alone. */
export function isTransient(status: number): boolean {
  return status === 429 || status >= 500;
}

/** What the wait before the next try depends on. */
export interface RetryState {
  /** Tries so far, from 1. */
  readonly tries: number;
  /** Headers of the last answer; absent where there was none. */
  readonly headers?: Headers | undefined;
  /** From 0 to 1: spreads clients that failed together. */
  readonly random: number;
  /** For dates in `Retry-After`. */
  readonly nowMs: number;
}

/**
 * How long to wait before the next try, in milliseconds; `undefined`: there is to be none, also where
 * the service says so by `x-should-retry: false`: the call has cost something already, or no time
 * helps. As long as `Retry-After` says where the service does; else twice as long each time, up to
 * 8 s, less up to a quarter.
 */
export function retryWaitMs(state: RetryState): number | undefined {
  if (state.headers?.get("x-should-retry") === "false") return undefined;
  const asked = retryAfterMs(state.headers, state.nowMs);
  if (asked !== undefined) return asked <= LONGEST_RETRY_AFTER_MS ? asked : undefined;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (state.tries - 1), LONGEST_WAIT_MS);
  return waitMs * (1 - state.random / 4);
}

/** Seconds, or a date; what is neither counts as absent. */
function retryAfterMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const text = headers?.get("retry-after")?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  // `Date.parse` takes nearly anything for a date, "-5" among it; a date begins with its weekday.
  const dateMs = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
