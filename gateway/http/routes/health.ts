import type { Handler } from "@hono/hono";
import type { ServiceFault } from "../../domain/fault.ts";
import type { PublicEnv } from "../env.ts";

/** Readiness of the service for requests. */
export interface Readiness {
  /** Returns the fault that keeps the service from taking requests, or `undefined`. */
  unready(): Promise<ServiceFault | undefined>;
}

/** Handles `GET /healthz`: the process runs. */
export function healthz(): Handler<PublicEnv> {
  return (c) => {
    c.header("x-request-id", c.get("requestId"));
    return c.json({ status: "ok" });
  };
}

/** Handles `GET /readyz`: requests can be served; otherwise the reason why not. */
export function readyz(readiness: Readiness): Handler<PublicEnv> {
  return async (c) => {
    const fault = await readiness.unready();
    if (fault !== undefined) throw fault;
    c.header("x-request-id", c.get("requestId"));
    return c.json({ status: "ready" });
  };
}
