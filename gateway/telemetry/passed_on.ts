import type { Span, TracedRequest, Tracer } from "../ports/tracer.ts";

/** Version 00 of the W3C recommendation; ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A caller's trace context. */
export interface RemoteContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Parses a `traceparent`; returns `undefined` if it is absent or invalid. */
export function readTraceparent(header: string | null): RemoteContext | undefined {
  if (header === null) return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: parseInt(flags, 16) };
}

/** A span that is not recorded: it passes the caller's context on unchanged. */
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

/** A tracer that records nothing and passes the caller's context on to upstreams. */
export const passingOn: Tracer = {
  begin: ({ traceparent }: TracedRequest) =>
    traceparent === null || readTraceparent(traceparent) === undefined
      ? undefined
      : new PassedOn(traceparent),
};
