import type { Handler } from "@hono/hono";
import type { ServiceFault } from "../../domain/fault.ts";
import type { PublicEnv } from "../env.ts";

/** Whether the service takes requests now. */
export interface Readiness {
  /** `undefined` where it does, else the fault that says why not. */
  unready(): Promise<ServiceFault | undefined>;
}

/** `GET /healthz`: the process lives. */
export function healthz(): Handler<PublicEnv> {
  return (c) => {
    c.header("x-request-id", c.get("requestId"));
    return c.json({ status: "ok" });
  };
}

/** `GET /readyz`: requests can be served; otherwise the reason why not. */
export function readyz(readiness: Readiness): Handler<PublicEnv> {
  return async (c) => {
    const fault = await readiness.unready();
    if (fault !== undefined) throw fault;
    c.header("x-request-id", c.get("requestId"));
    return c.json({ status: "ready" });
  };
}
