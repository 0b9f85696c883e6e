import type { Endpoint } from "@svc/sdk/protocol";

/** What may be said of a span: names, counts and codes. Never a prompt, an answer, a key or a title. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** How a span ended. */
export interface SpanEnd {
  readonly attributes?: SpanAttributes | undefined;
  /** `error.type`: a code from a short list, never a message. @default {it went well} */
  readonly error?: string | undefined;
}

/** A piece of work with a beginning and an end. */
export interface Span {
  /** W3C `traceparent` for whoever is asked in the course of it. */
  readonly traceparent: string;
  /** A piece of this piece. `client`: somebody else does it. */
  child(name: string, options?: {
    readonly kind?: "internal" | "client";
    readonly attributes?: SpanAttributes;
  }): Span;
  /** Ends it; the first end counts. */
  end(end?: SpanEnd): void;
}

/** A request that begins. */
export interface TracedRequest {
  /** Id of its log row: by it the request is ended. */
  readonly logId: string;
  readonly requestId: string;
  readonly endpoint: Endpoint;
  /** As the caller sent it, whatever that is. */
  readonly traceparent: string | null;
}

/** Traces of requests. */
export interface Tracer {
  /**
   * Begins a request's span, which ends with the request's log row. `undefined` where nothing is traced
   * and nothing is to be passed on: then nothing else of tracing is called for this request.
   */
  begin(request: TracedRequest): Span | undefined;
}
