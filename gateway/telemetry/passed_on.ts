import type { Span, TracedRequest, Tracer } from "../ports/tracer.ts";

/** Version 00 of the W3C recommendation; ids of zeros are none. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A caller's trace context. */
export interface RemoteContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Reads a `traceparent`; `undefined` where it is absent, or is none. */
export function readTraceparent(header: string | null): RemoteContext | undefined {
  if (header === null) return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: parseInt(flags, 16) };
}

/** What is not recorded here: the caller's context goes on as it came. */
export class PassedOn implements Span {
  readonly traceparent: string;

  constructor(traceparent: string) {
    this.traceparent = traceparent;
  }

  child(): Span {
    return this;
  }

  end(): void {}
}

/** Traces nothing, and hands the caller's context on to whom the request is sent. */
export const passingOn: Tracer = {
  begin: ({ traceparent }: TracedRequest) =>
    traceparent === null || readTraceparent(traceparent) === undefined
      ? undefined
      : new PassedOn(traceparent),
};
