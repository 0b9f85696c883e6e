/** Details of a logged event. They never contain a key, a header, a body or a tool's input. */
export interface LogDetails {
  /** HTTP method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Number of the attempt, from 1. */
  readonly tries: number;
  /** HTTP status of the answer; absent without an answer. */
  readonly status?: number | undefined;
  /** Request id in the answer's header. */
  readonly requestId?: string | undefined;
  /** Time to the answer's headers, in milliseconds. */
  readonly ms?: number;
  /** Time until the next attempt, in milliseconds. */
  readonly waitMs?: number;
}

/**
 * Receives requests, answers and retries. `console` is a logger. A failure of the logger does not
 * affect the call.
 *
 * @example
 * ```ts
 * import { type Logger, ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * const logger: Logger = {
 *   debug: (event, { path }) => void lines.push(`${event} ${path}`),
 *   warn: (event, { waitMs }) => void lines.push(`${event} in ${waitMs} ms`),
 * };
 * const fetch = () => Promise.resolve(Response.json({ success: true, data: { models: [] } }));
 * await new ServiceClient({ logger, fetch }).models.list();
 * assertEquals(lines, ["request /api/v1/models", "answer /api/v1/models"]);
 * ```
 */
export interface Logger {
  /** Logs `request` before each attempt and `answer` after it. */
  debug(event: string, details: LogDetails): void;
  /** Logs `retry` before the wait. */
  warn(event: string, details: LogDetails): void;
}

/** Returns a logger whose failures are swallowed: no call may depend on it. */
export function unfailing(logger: Logger): Logger {
  return {
    debug: (event, details) => quietly(() => logger.debug(event, details)),
    warn: (event, details) => quietly(() => logger.warn(event, details)),
  };
}

function quietly(log: () => unknown): void {
  try {
    // An asynchronous logger may return a promise.
    Promise.resolve(log()).catch(() => {});
  } catch {
    // The application's own failure.
  }
}
