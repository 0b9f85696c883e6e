import type { MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import type { Rng } from "../../ports/rng.ts";
import type { HeaderLookUp } from "../request_headers.ts";

const ACCEPTED = /^[\x21-\x7e]{1,128}$/;

/** Variables that this middleware sets. */
export interface RequestIdEnv {
  Variables: {
    /** The caller's `X-Request-ID`, or a generated one. */
    requestId: string;
  };
}

/** The id of a request. */
export interface RequestId {
  /** The caller's `X-Request-ID` if it is valid, else a generated one. */
  readonly requestId: string;
  /** False when the caller sent an invalid id: then its request is refused. */
  readonly isValid: boolean;
}

/** Returns the id of a request. */
export function requestIdOf(headers: Pick<HeaderLookUp, "get">, rng: Rng): RequestId {
  const header = headers.get("x-request-id");
  if (header === null) return { requestId: rng.id("req"), isValid: true };
  const isValid = ACCEPTED.test(header);
  return { requestId: isValid ? header : rng.id("req"), isValid };
}

/** Returns the fault of a request with an invalid `X-Request-ID`. */
export function invalidRequestId(): ServiceFault {
  return new ServiceFault("invalid_request", {
    message: "Send an X-Request-ID of 1 to 128 visible ASCII characters, or none",
    param: "X-Request-ID",
  });
}

/**
 * Returns middleware that takes the caller's `X-Request-ID` or generates one. The id correlates
 * logs and never deduplicates.
 */
export function requestId(rng: Rng): MiddlewareHandler<RequestIdEnv> {
  return function requestIdMiddleware(c, next) {
    const { requestId, isValid } = requestIdOf(c.req.raw.headers, rng);
    c.set("requestId", requestId);
    if (!isValid) throw invalidRequestId();
    return next();
  };
}
