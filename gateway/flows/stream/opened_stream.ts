import {
  isPaced,
  type PacedEvents,
  UpstreamCut,
  type UpstreamStream,
} from "../../ports/upstream.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";
import { EventBatcher } from "./event_batcher.ts";

/** The failure to relay an event. */
export interface BrokenEvent {
  readonly cause: unknown;
}

/** A streamed call whose first events have arrived. */
export interface OpenedStream<Relay extends AnswerRelay = AnswerRelay> {
  readonly events: AsyncIterator<readonly string[]>;
  readonly relay: Relay;
  /** Text of the first events, ready to send. */
  readonly first: string;
  /** The failure to relay the event after those. @default {none} */
  readonly broken?: BrokenEvent | undefined;
}

/**
 * Reads a stream up to the first event that can be passed on. Throws an {@linkcode UpstreamCut} if there
 * is none, or if an event before it is broken.
 */
export async function openStream<Relay extends AnswerRelay>(
  answer: UpstreamStream,
  relay: Relay,
): Promise<OpenedStream<Relay>> {
  const { events, beginning } = await readBeginning(answer, (texts) => {
    const accepted = acceptAll(relay, texts);
    return accepted.first === "" ? undefined : accepted;
  });
  return { events: pacedEvents(events), relay, ...beginning };
}

/** Returns the events with those that arrive in quick succession joined. */
export function pacedEvents(events: AsyncIterator<readonly string[]>): PacedEvents {
  const paced = isPaced(events) ? events : new EventBatcher(events);
  paced.pace();
  return paced;
}

/**
 * Reads a stream until `take` returns a value for the events so far. Throws an {@linkcode
 * UpstreamCut} if it never does, and rethrows errors of `take`; in both cases the call at the
 * upstream is closed.
 */
export async function readBeginning<T>(
  answer: UpstreamStream,
  take: (texts: readonly string[]) => T | undefined,
): Promise<{ readonly events: AsyncIterator<readonly string[]>; readonly beginning: T }> {
  const events = answer.events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await events.next();
      if (next.done) throw new UpstreamCut("malformed", "The upstream ended before it began");
      const beginning = take(next.value);
      if (beginning !== undefined) return { events, beginning };
    }
  } catch (error) {
    await events.return?.();
    throw error;
  }
}

/** Text before a broken event is passed on. Throws where there is none. */
function acceptAll(
  relay: AnswerRelay,
  texts: readonly string[],
): Pick<OpenedStream, "first" | "broken"> {
  let first = "";
  try {
    for (const text of texts) first += relay.accept(text);
  } catch (cause) {
    if (first === "") throw cause;
    return { first, broken: { cause } };
  }
  return { first };
}
