/**
 * Reads an answer after its caller has disconnected, for the usage at its end.
 *
 * @module
 */

import type { Candidate } from "../../domain/routing/plan.ts";
import { afterMs } from "../../system/deadlines.ts";
import type { InFlight } from "../admit/in_flight.ts";
import type { OpenedStream } from "./opened_stream.ts";

/** Maximum time that an answer is read, in milliseconds. */
export const DRAIN_MAX_MS = 60_000;
/**
 * Maximum events read per output token that the hold pays for: most events carry one token or more.
 */
export const DRAINED_EVENTS_PER_TOKEN = 4;
/** Maximum further events read: those that begin and end an answer and its parts. */
export const DRAINED_EVENTS_BESIDE = 64;

/** An answer whose caller has disconnected. */
export interface LeftAnswer {
  /** Aborted when reading takes too long and when the service stops. */
  readonly abort: AbortController;
  readonly answer: Pick<OpenedStream, "events" | "relay">;
  readonly candidate: Pick<Candidate, "outputTokens">;
}

/**
 * Reads an answer to its end, for at most {@linkcode DRAIN_MAX_MS}, not far beyond what its hold
 * pays for, and not once the service stops. Throws if the answer breaks off. The caller of this
 * function closes the call at the upstream.
 */
export async function drain(
  inFlight: Pick<InFlight, "watch">,
  { abort, answer: { events, relay }, candidate }: LeftAnswer,
  options: {
    /** The read in progress. @default {none} */
    readonly reading?: Promise<IteratorResult<readonly string[]>> | undefined;
    /** @default {DRAIN_MAX_MS} */
    readonly maxMs?: number;
  } = {},
): Promise<void> {
  const { promise: calledOff, resolve: callOff } = Promise.withResolvers<undefined>();
  abort.signal.addEventListener("abort", () => callOff(undefined), { once: true });
  const unwatch = inFlight.watch(abort);
  const disarm = afterMs(options.maxMs ?? DRAIN_MAX_MS, () => abort.abort("left"));
  let room = candidate.outputTokens * DRAINED_EVENTS_PER_TOKEN + DRAINED_EVENTS_BESIDE;
  let { reading } = options;
  try {
    while (room > 0 && !abort.signal.aborted) {
      // An upstream that ignores the abort must not delay the end.
      const next = await Promise.race([reading ?? events.next(), calledOff]);
      if (next === undefined || next.done) return;
      reading = undefined;
      for (const text of next.value) relay.accept(text);
      room -= next.value.length;
    }
  } finally {
    disarm();
    unwatch();
  }
}
