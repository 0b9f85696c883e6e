/**
 * A streamed answer on its way from an upstream to the caller, whatever the endpoint.
 *
 * @module
 */

import type { ErrorEnvelope, ServiceMetadata } from "@svc/sdk/protocol";
import type { Usage } from "../domain/ledger/pricing.ts";

/** A tool call with what its model signed it with. */
export interface SignedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** JSON texts of the opaque members, by name. */
  readonly opaque: ReadonlyMap<string, string>;
}

/** What is known of a call at its end. */
export interface AnswerEnd {
  readonly metadata: ServiceMetadata;
  /** As it was settled. */
  readonly usage: Usage;
  /** Unix time. */
  readonly completedSeconds: number;
}

/** What is known of a call that failed; without usage nothing was settled. */
export type FailedEnd = Pick<AnswerEnd, "metadata"> & Partial<Pick<AnswerEnd, "usage">>;

/** Follows one streamed answer. All text that it returns is server-sent events, ready to send. */
export interface AnswerRelay {
  /** Usage as last reported. */
  readonly usage: Usage | undefined;
  /** Text that was delivered, in pieces. */
  readonly delivered: readonly string[];
  /** Its length in UTF-16 code units, at least, told without putting it together. */
  readonly deliveredChars: number;
  /** Tokens delivered at least, where they use up what the hold pays for: then no text is kept. */
  readonly usedUpBy?: number | undefined;
  /** Whether the upstream has said all but good-bye. */
  readonly finished: boolean;
  /** Tool calls as far as they have come. */
  readonly toolCalls: readonly SignedToolCall[];
  /**
   * Takes the JSON text of one event of the upstream; returns events, or nothing. Throws an
   * `UpstreamCut` where it is an error or makes no sense.
   */
  accept(text: string): string;
  /** What is accepted from here on is not delivered: it is read for its usage. */
  callerLeft(): void;
  /** The output ends here, with finish reason `length`: no more of it is held. Nothing is accepted any more. */
  limitReached(): void;
  /** The upstream has ended cleanly. Throws an `UpstreamCut` where that was too early. */
  upstreamEnded(): void;
  /** The last events of a whole or incomplete answer, one at a time: they may be long. */
  completed(end: AnswerEnd): Iterable<string>;
  /** The last events of an answer that broke off. */
  failed(envelope: ErrorEnvelope, end: FailedEnd): Iterable<string>;
}
