import { ENDPOINT_PATHS, ENDPOINTS } from "../../domain/requests/endpoints.ts";
import type { GatewayContext } from "../../flows/context.ts";
import { logFailure } from "../../flows/settle/log_failure.ts";
import { type Caller, RequestTrace } from "../../flows/request_trace.ts";
import type { OnDenied } from "./authenticate.ts";

/** Writes model calls that are refused before their route into the request log, and warns of others. */
export function logDenied(gateway: GatewayContext): OnDenied {
  return function logDeniedRequest(c, fault) {
    const key = c.get("key");
    const requestId = c.get("requestId");
    const endpoint = ENDPOINTS.find((name) => ENDPOINT_PATHS[name] === c.req.path);
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
