import { Buffer } from "node:buffer";
import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { Candidate } from "../../domain/routing/plan.ts";
import { withoutShared } from "../../domain/redaction/shared_text.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { UpstreamFailure } from "../../ports/upstream.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { BoundedMap } from "../../system/bounded_map.ts";

/** Most that is kept of an upstream's words, in bytes. */
export const WORDS_BYTES_MAX = 2 * 1024;
/** Shortest time between two lines of one upstream: a caller's bad requests must not fill the disk. */
const QUIET_MS = 1_000;
const UPSTREAMS_MAX = 1_000;

/** An attempt that has failed. */
export interface FailedAttempt {
  readonly candidate: Candidate;
  readonly outcome: AttemptOutcome;
  /** HTTP status of the upstream's answer, where there was one. */
  readonly status?: number | undefined;
  /** As {@linkcode wordsIn} has them. */
  readonly words?: string | undefined;
}

/**
 * An upstream's words of a failure, without those that repeat the value or text that it was asked,
 * cut to {@linkcode WORDS_BYTES_MAX}.
 */
export async function wordsIn(
  { words, message }: Pick<UpstreamFailure, "words" | "message">,
  asked: unknown,
): Promise<string> {
  const own = await runInSteps(withoutShared(words ?? message, asked));
  const bytes = Buffer.from(own.trim());
  if (bytes.length <= WORDS_BYTES_MAX) return own.trim();
  // A character that the cut halves is left away whole.
  return new TextDecoder().decode(bytes.subarray(0, WORDS_BYTES_MAX), { stream: true });
}

/**
 * Tells the operator of attempts that failed, with the upstream's words: for each upstream a line a
 * second at most. Those in between are counted in the next line.
 */
export class FailedAttempts {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #upstreams = new BoundedMap<string, { quietUntilMs: number; count: number }>(
    UPSTREAMS_MAX,
  );

  /** Writes to the log. */
  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Notes a failure. The line has the last one's fields. */
  note(requestId: string, { candidate, outcome, status, words }: FailedAttempt): void {
    const upstream = candidate.upstream.id;
    const nowMs = this.#clock.monotonicMs();
    const noted = this.#upstreams.get(upstream) ?? { quietUntilMs: -Infinity, count: 0 };
    const count = noted.count + 1;
    if (nowMs < noted.quietUntilMs) {
      this.#upstreams.set(upstream, { ...noted, count });
      return;
    }
    this.#upstreams.set(upstream, { quietUntilMs: nowMs + QUIET_MS, count: 0 });
    const model = candidate.model.id;
    this.#logger.warn("attempt_failed", {
      ...{ requestId, upstream, model, outcome, status, count, words },
    });
  }
}
