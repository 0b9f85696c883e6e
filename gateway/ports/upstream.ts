import type { AttemptOutcome, Endpoint } from "@svc/sdk/protocol";
import type { Usage } from "../domain/ledger/pricing.ts";

/** The JSON body of a caller: its text and the parsed value. */
export interface JsonBody {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** One call of an upstream model. */
export interface UpstreamCall {
  readonly endpoint: Endpoint;
  /** Name of the model at the upstream. */
  readonly model: string;
  readonly body: JsonBody;
  readonly stream: boolean;
  /** True when the gateway set the tool choice of the body: the caller needs no note about it. */
  readonly isOwnChoice?: boolean | undefined;
  /** Output limit per choice, in tokens, if the body has none or a higher one. */
  readonly outputLimit?: number | undefined;
  /** Output tokens per choice that the hold pays for, for upstreams that require a limit. */
  readonly heldOutputTokens?: number | undefined;
  readonly requestId: string;
  /**
   * W3C trace context to send. No other context of the caller is sent, as it may identify the
   * caller.
   */
  readonly traceparent?: string | undefined;
  /** Aborted when the caller has disconnected or the time budget is used up. */
  readonly signal: AbortSignal;
}

/** The failure of an attempt before its first byte. */
export interface UpstreamFailure {
  readonly kind: "failure";
  readonly outcome: Exclude<AttemptOutcome, "ok" | "cut">;
  /** HTTP status of the upstream's answer, where there was one. */
  readonly status?: number | undefined;
  /** Time that the upstream asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Message of the upstream, without secrets: for the caller on `refused_input` only. */
  readonly message: string;
  /**
   * Message of the upstream, without secrets: for the operator only.
   * @default {the message}
   */
  readonly words?: string | undefined;
  /** On `refused_input`: the field that the upstream refuses. */
  readonly param?: string | undefined;
  /** On `refused_input`: the error code of the upstream. */
  readonly code?: string | undefined;
}

/** A complete JSON answer. */
export interface UpstreamJson {
  readonly kind: "json";
  readonly body: JsonBody;
  /** Usage as reported; absent if the upstream reported none. */
  readonly usage?: Usage | undefined;
}

/**
 * A streamed answer whose first event has arrived. Each element is the content of one read: the
 * JSON texts of one or more events, in order. The end of the iteration is a clean end (`[DONE]`). A
 * connection that is cut, a stall, or an invalid frame throws an {@linkcode UpstreamCut}. Ending
 * the iteration early cancels the call at the upstream.
 */
export interface UpstreamStream {
  readonly kind: "stream";
  readonly events: AsyncIterable<readonly string[]>;
}

/**
 * Events of a stream that are read ahead, within a bound, so that a reader takes all that wait at
 * once.
 */
export interface PacedEvents extends AsyncIterator<readonly string[], undefined> {
  /** From now on, events that arrive in quick succession are returned together. */
  pace(): void;
  /** Removes and returns the events that arrived and were not requested yet. */
  takeWaiting(): readonly string[];
}

/** True for events that their source reads ahead. */
export function isPaced(events: AsyncIterator<readonly string[]>): events is PacedEvents {
  return "takeWaiting" in events;
}

/** The outcome of an attempt. */
export type UpstreamAnswer = UpstreamFailure | UpstreamJson | UpstreamStream;

/** An answer broke off after its first byte. */
export class UpstreamCut extends Error {
  override name = "UpstreamCut";
  readonly outcome: "cut" | "timeout" | "malformed" | "server_error";
  /** Message of the upstream, as {@linkcode UpstreamFailure.words}. */
  readonly words: string | undefined;
  constructor(
    outcome: UpstreamCut["outcome"],
    message: string,
    { words, ...options }: ErrorOptions & { readonly words?: string | undefined } = {},
  ) {
    super(message, options);
    this.outcome = outcome;
    this.words = words;
  }
}

/**
 * An upstream did not list its models: it has no list (`unlisted`), refuses the credentials
 * (`refused`), or could not be reached (`failed`).
 */
export class ModelListError extends Error {
  override name = "ModelListError";
  readonly reason: "unlisted" | "refused" | "failed";
  constructor(reason: ModelListError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A connection to a provider. Never throws for failures of the provider. */
export interface Upstream {
  /** Id in the catalog. */
  readonly id: string;
  call(call: UpstreamCall): Promise<UpstreamAnswer>;
  /**
   * Returns the names of the models it offers, for the operator. Throws a {@linkcode
   * ModelListError} if there is no list.
   */
  models(signal: AbortSignal): Promise<readonly string[]>;
  /** Closes its sockets. */
  close(): void;
}
