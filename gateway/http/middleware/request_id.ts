import type { MiddlewareHandler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import type { Rng } from "../../ports/rng.ts";

const ACCEPTED = /^[\x21-\x7e]{1,128}$/;

/** Variables that this middleware sets. */
export interface RequestIdEnv {
  Variables: {
    /** The caller's `X-Request-ID`, or a generated one. */
    requestId: string;
  };
}

/**
 * Returns middleware that takes the caller's `X-Request-ID` or generates one. The id correlates
 * logs and never deduplicates.
 */
export function requestId(rng: Rng): MiddlewareHandler<RequestIdEnv> {
  return function requestIdMiddleware(c, next) {
    const header = c.req.raw.headers.get("x-request-id");
    const accepted = header !== null && ACCEPTED.test(header);
    c.set("requestId", accepted ? header : rng.id("req"));
    if (header !== null && !accepted) {
      throw new ServiceFault("invalid_request", {
        message: "Send an X-Request-ID of 1 to 128 visible ASCII characters, or none",
        param: "X-Request-ID",
      });
    }
    return next();
  };
}
