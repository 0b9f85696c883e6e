import type { Endpoint } from "@svc/sdk/protocol";
import type { GatewayContext } from "../../flows/context.ts";
import { logFailure } from "../../flows/settle/log_failure.ts";
import { type Caller, RequestTrace } from "../../flows/request_trace.ts";
import type { OnDenied } from "./authenticate.ts";

const MODEL_CALLS: ReadonlyMap<string, Endpoint> = new Map([
  ["/openai/v1/chat/completions", "chat"],
  ["/openai/v1/responses", "responses"],
  ["/openai/v1/images/generations", "images.generations"],
  ["/openai/v1/images/edits", "images.edits"],
]);

/** Puts model calls that are refused before their route into the request log; says others aloud. */
export function logDenied(gateway: GatewayContext): OnDenied {
  return function logDeniedRequest(c, fault) {
    const key = c.get("key");
    const requestId = c.get("requestId");
    const endpoint = MODEL_CALLS.get(c.req.path);
    if (endpoint === undefined) {
      const { remoteAddress } = c.env;
      gateway.logger.warn("address_denied", { requestId, keyId: key.id, remoteAddress });
      return;
    }
    const caller: Caller = {
      key,
      requestId,
      logId: gateway.rng.id("log"),
      dialect: "service",
      endpoint,
      stream: false,
      signal: c.req.raw.signal,
      onSettled: () => {},
    };
    logFailure(gateway, new RequestTrace(caller, gateway.clock), fault);
  };
}
