import { Buffer } from "node:buffer";
import type { AttemptOutcome } from "@svc/sdk/protocol";
import type { Candidate } from "../../domain/routing/plan.ts";
import { withoutShared } from "../../domain/redaction/shared_text.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { UpstreamFailure } from "../../ports/upstream.ts";
import { runInSteps } from "../../system/yield_to_event_loop.ts";
import { BoundedMap } from "../../system/bounded_map.ts";

/** Maximum kept size of an upstream's message, in bytes. */
export const MESSAGE_BYTES_MAX = 2 * 1024;
/**
 * Minimum time between two log lines of one upstream, in milliseconds: bad requests of a caller
 * must not fill the disk.
 */
const QUIET_MS = 1_000;
const UPSTREAMS_MAX = 1_000;

/** An attempt that has failed. */
export interface FailedAttempt {
  readonly candidate: Candidate;
  readonly outcome: AttemptOutcome;
  /** HTTP status of the upstream's answer, where there was one. */
  readonly status?: number | undefined;
  /** The message as {@linkcode upstreamMessage} returns it. */
  readonly words?: string | undefined;
}

/**
 * Returns the message of a failed upstream without the parts that repeat `sent`, the value or text
 * of the call, cut to {@linkcode MESSAGE_BYTES_MAX}.
 */
export async function upstreamMessage(
  { words, message }: Pick<UpstreamFailure, "words" | "message">,
  sent: unknown,
): Promise<string> {
  const own = await runInSteps(withoutShared(words ?? message, sent));
  const bytes = Buffer.from(own.trim());
  if (bytes.length <= MESSAGE_BYTES_MAX) return own.trim();
  // With `stream`, the decoder drops a character that the cut has split.
  return new TextDecoder().decode(bytes.subarray(0, MESSAGE_BYTES_MAX), { stream: true });
}

/**
 * Logs failed attempts with the message of the upstream: at most one line per second and upstream.
 * Failures in between are counted in the next line.
 */
export class FailedAttempts {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #upstreams = new BoundedMap<string, { quietUntilMs: number; count: number }>(
    UPSTREAMS_MAX,
  );

  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Notes a failure. A line shows the fields of the last one. */
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
