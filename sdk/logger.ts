/** What is told of a request. Never a key, a header, a body or a tool's input. */
export interface LogDetails {
  /** HTTP method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Which try of the call, from 1. */
  readonly tries: number;
  /** HTTP status of the answer; absent where there is none. */
  readonly status?: number | undefined;
  /** As the answer's header has it. */
  readonly requestId?: string | undefined;
  /** Time to the answer's headers, in milliseconds. */
  readonly ms?: number;
  /** Time until the next try, in milliseconds. */
  readonly waitMs?: number;
}

/**
 * Told of requests, answers and retries. `console` is one. One that fails changes nothing of the
 * call: its failure is passed over.
 *
 * @example
 * ```ts
 * import { type Logger, ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const told: string[] = [];
 * const logger: Logger = {
 *   debug: (event, { path }) => void told.push(`${event} ${path}`),
 *   warn: (event, { waitMs }) => void told.push(`${event} in ${waitMs} ms`),
 * };
 * const fetch = () => Promise.resolve(Response.json({ success: true, data: { models: [] } }));
 * await new ServiceClient({ logger, fetch }).models.list();
 * assertEquals(told, ["request /api/v1/models", "answer /api/v1/models"]);
 * ```
 */
export interface Logger {
  /** `request` before each try, `answer` after it. */
  debug(event: string, details: LogDetails): void;
  /** `retry` before the wait. */
  warn(event: string, details: LogDetails): void;
}

/** A logger whose failures nobody hears of: no call may depend on it. */
export function unfailing(logger: Logger): Logger {
  return {
    debug: (event, details) => quietly(() => logger.debug(event, details)),
    warn: (event, details) => quietly(() => logger.warn(event, details)),
  };
}

function quietly(log: () => unknown): void {
  try {
    // One that writes elsewhere may answer with a promise.
    Promise.resolve(log()).catch(() => {});
  } catch {
    // It is the application's own trouble.
  }
}
