import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { ListenerName } from "./allowed_hosts.ts";

/** Minimum time between two lines, in milliseconds: guessing keys must not fill the disk. */
const QUIET_MS = 1_000;

/** Fields of a request that was refused for its key or token. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly remoteAddress: string;
}

/**
 * Logs requests whose key or token is not valid: at most one line a second. Requests in between are
 * counted in the next line.
 */
export class RefusalLog {
  readonly #listener: ListenerName;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #count = 0;
  #quietUntilMs = -Infinity;

  /** The listener is named in every line. */
  constructor(listener: ListenerName, options: { logger: Logger; clock: Clock }) {
    this.#listener = listener;
    this.#logger = options.logger;
    this.#clock = options.clock;
  }

  /** Counts a refusal; the line has the fields of the last one. */
  note({ requestId, remoteAddress }: RefusedRequest): void {
    this.#count++;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#quietUntilMs) return;
    const count = this.#count;
    this.#count = 0;
    this.#quietUntilMs = nowMs + QUIET_MS;
    this.#logger.warn("unauthorized", {
      listener: this.#listener,
      count,
      requestId,
      remoteAddress,
    });
  }
}
