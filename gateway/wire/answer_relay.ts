/**
 * Relay of a streamed answer from an upstream to the caller, for every endpoint.
 *
 * @module
 */

import type { ErrorEnvelope, ServiceMetadata } from "@svc/sdk/protocol";
import type { ObservedAnswer } from "../domain/learning/answer_check.ts";
import type { Usage } from "../domain/ledger/pricing.ts";

/** A tool call with the signatures of its model. */
export interface SignedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** JSON texts of the opaque members, by name. */
  readonly opaque: ReadonlyMap<string, string>;
}

/** Facts of a call at its end. */
export interface AnswerEnd {
  readonly metadata: ServiceMetadata;
  /** Usage as it was settled. */
  readonly usage: Usage;
  /** Unix time. */
  readonly completedSeconds: number;
}

/** Facts of a failed call; without usage nothing was settled. */
export type FailedEnd = Pick<AnswerEnd, "metadata"> & Partial<Pick<AnswerEnd, "usage">>;

/** Relays one streamed answer. All text that it returns is server-sent events, ready to send. */
export interface AnswerRelay {
  /** Usage as last reported. */
  readonly usage: Usage | undefined;
  /** Delivered text, in pieces. */
  readonly delivered: readonly string[];
  /** Minimum length of that text in UTF-16 code units, without joining the pieces. */
  readonly deliveredChars: number;
  /**
   * Minimum number of delivered tokens, once they use up the hold: from then on no text is kept.
   */
  readonly usedUpBy?: number | undefined;
  /** True when only the end-of-stream marker is missing. */
  readonly finished: boolean;
  /** Tool calls so far. */
  readonly toolCalls: readonly SignedToolCall[];
  /**
   * Takes the JSON text of one event of the upstream; returns events, or nothing. Throws an
   * `UpstreamCut` for an error or a malformed event.
   */
  accept(text: string): string;
  /** The caller has disconnected: later events are read for their usage only. */
  callerDisconnected(): void;
  /** Ends the output here with finish reason `length`; no further event is accepted. */
  limitReached(): void;
  /** The upstream has ended cleanly. Throws an `UpstreamCut` when that was too early. */
  upstreamEnded(): void;
  /** Returns the complete answer, to be checked. @default {it cannot be} */
  observed?(): ObservedAnswer | undefined;
  /** Yields the last events of a complete or incomplete answer, one at a time: they may be long. */
  completed(end: AnswerEnd): Iterable<string>;
  /** Yields the last events of an answer that broke off. */
  failed(envelope: ErrorEnvelope, end: FailedEnd): Iterable<string>;
}
