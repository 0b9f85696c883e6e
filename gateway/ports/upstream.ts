import type { AttemptOutcome, Endpoint } from "@svc/sdk/protocol";
import type { Usage } from "../domain/ledger/pricing.ts";

/** A caller's JSON body: the text as it came and what it says. */
export interface JsonBody {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** One call of an upstream model. */
export interface UpstreamCall {
  readonly endpoint: Endpoint;
  /** The upstream's own name of the model. */
  readonly model: string;
  readonly body: JsonBody;
  readonly stream: boolean;
  /** The body's choice of tools is the gateway's own: no caller need hear what becomes of it. */
  readonly isOwnChoice?: boolean | undefined;
  /** The output limit a choice, in tokens, where the body states none or a higher one. */
  readonly outputLimit?: number | undefined;
  /** Output tokens a choice that the hold pays for, for upstreams that must be told a limit. */
  readonly heldOutputTokens?: number | undefined;
  readonly requestId: string;
  /** W3C trace context to send along. Nothing else of the caller's context is: it may name the caller. */
  readonly traceparent?: string | undefined;
  /** Aborted when the caller has left or the time budget is spent. */
  readonly signal: AbortSignal;
}

/** Why an attempt failed before its first byte. */
export interface UpstreamFailure {
  readonly kind: "failure";
  readonly outcome: Exclude<AttemptOutcome, "ok" | "cut">;
  /** HTTP status of the upstream's answer, where there was one. */
  readonly status?: number | undefined;
  /** How long the upstream asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The upstream's own message, without secrets: for the caller on `refused_input` only. */
  readonly message: string;
  /**
   * The upstream's own words, without secrets: for the operator alone.
   * @default {the message}
   */
  readonly words?: string | undefined;
  /** On `refused_input`: the field the upstream complains about. */
  readonly param?: string | undefined;
  /** On `refused_input`: the upstream's own error code. */
  readonly code?: string | undefined;
}

/** A complete JSON answer. */
export interface UpstreamJson {
  readonly kind: "json";
  readonly body: JsonBody;
  /** As reported; absent where the upstream reported none. */
  readonly usage?: Usage | undefined;
}

/**
 * A streamed answer whose first event has arrived. Each element is what one read brought: the JSON
 * texts of one or more events, in order. The end of the iteration is a clean end (`[DONE]`); a
 * connection that is cut, a stall, or a frame that is no event throws an {@linkcode UpstreamCut}.
 * Leaving the iteration early cancels the upstream.
 */
export interface UpstreamStream {
  readonly kind: "stream";
  readonly events: AsyncIterable<readonly string[]>;
}

/** What an attempt came to. */
export type UpstreamAnswer = UpstreamFailure | UpstreamJson | UpstreamStream;

/** An answer broke off after its first byte. */
export class UpstreamCut extends Error {
  override name = "UpstreamCut";
  readonly outcome: "cut" | "timeout" | "malformed" | "server_error";
  /** The upstream's own words, as {@linkcode UpstreamFailure.words}. */
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
 * An upstream did not tell its models: it has no such list (`unlisted`), refuses the gateway's
 * credentials (`refused`), or could not be asked (`failed`).
 */
export class ModelListError extends Error {
  override name = "ModelListError";
  readonly reason: "unlisted" | "refused" | "failed";
  constructor(reason: ModelListError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A provider account or server. Never throws for what the other side does. */
export interface Upstream {
  /** The catalog's id for it. */
  readonly id: string;
  call(call: UpstreamCall): Promise<UpstreamAnswer>;
  /**
   * Names of the models it offers, for the operator; throws a {@linkcode ModelListError} where it
   * cannot be asked.
   */
  models(signal: AbortSignal): Promise<readonly string[]>;
  /** Gives sockets back. */
  close(): void;
}
