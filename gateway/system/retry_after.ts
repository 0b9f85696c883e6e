/** Longest wait that a server can ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Returns the time after which a server may be called again, in milliseconds, at most an hour: from
 * `Retry-After`, as seconds or as a date, or from `retry-after-ms`.
 */
export function retryAfterMsOf(headers: Pick<Headers, "get">, nowMs: number): number | undefined {
  const exact = Number(headers.get("retry-after-ms") ?? NaN);
  if (exact >= 0) return Math.min(Math.ceil(exact), MAX_RETRY_AFTER_MS);
  const value = headers.get("retry-after");
  if (value === null || value === "") return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - nowMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, Math.ceil(ms)), MAX_RETRY_AFTER_MS);
}
