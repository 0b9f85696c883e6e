/**
 * Reading an answer on after its caller has left, for the usage that comes last.
 *
 * @module
 */

import type { Candidate } from "../../domain/routing/plan.ts";
import { afterMs } from "../../system/deadlines.ts";
import type { InFlight } from "../admit/in_flight.ts";
import type { OpenedStream } from "./streamed_call.ts";

/** Longest that an answer is read on for, in milliseconds. */
export const DRAIN_MAX_MS = 60_000;
/** Most events read for each output token that the hold pays for: most carry one token or more. */
export const DRAINED_EVENTS_PER_TOKEN = 4;
/** Most events read beside those: what begins and ends an answer and its parts. */
export const DRAINED_EVENTS_BESIDE = 64;

/** An answer that nobody waits for any more. */
export interface LeftAnswer {
  /** Aborted where it takes too long, and where the service must end. */
  readonly abort: AbortController;
  readonly answer: Pick<OpenedStream, "events" | "relay">;
  readonly candidate: Pick<Candidate, "outputTokens">;
}

/**
 * Reads an answer to its end, but not for longer than {@linkcode DRAIN_MAX_MS}, not far beyond what
 * its hold pays for, and not when the service must end. Throws where the answer breaks off. The
 * upstream's side is left to be ended.
 */
export async function drain(
  inFlight: InFlight,
  { abort, answer: { events, relay }, candidate }: LeftAnswer,
  options: {
    /** The read that is under way. @default {none} */
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
      // An upstream that does not hear of the end must not put it off.
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
