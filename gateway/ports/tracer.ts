import type { Endpoint } from "@svc/sdk/protocol";

/** Attributes of a span: names, counts and codes. Never a prompt, an answer, a key or a title. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The end of a span. */
export interface SpanEnd {
  readonly attributes?: SpanAttributes | undefined;
  /** `error.type`: a code from a short list, never a message. @default {no error} */
  readonly error?: string | undefined;
}

/** A measured operation with a beginning and an end. */
export interface Span {
  /** W3C `traceparent` for calls that are made during the operation. */
  readonly traceparent: string;
  /** Begins a part of the operation. `client`: another server does it. */
  child(name: string, options?: {
    readonly kind?: "internal" | "client";
    readonly attributes?: SpanAttributes;
  }): Span;
  /** Ends the operation; only the first call counts. */
  end(end?: SpanEnd): void;
}

/** A request at its beginning. */
export interface TracedRequest {
  /** Id of its log row, which ends the request. */
  readonly logId: string;
  readonly requestId: string;
  readonly endpoint: Endpoint;
  /** The header of the caller, unchecked. */
  readonly traceparent: string | null;
}

/** A tracer of requests. */
export interface Tracer {
  /**
   * Begins the span of a request, which ends with its log row. Returns `undefined` if nothing is
   * traced and no context is passed on: then the request makes no further calls of the tracer.
   */
  begin(request: TracedRequest): Span | undefined;
}
