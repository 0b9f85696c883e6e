import { ENDPOINT_PATHS, ENDPOINTS } from "../../domain/requests/endpoints.ts";
import type { ModelCalls } from "../../flows/model_calls.ts";
import type { Logger } from "../../ports/logger.ts";
import type { OnDenied } from "./authenticate.ts";

/** Writes model calls that are refused before their route into the request log, and warns of others. */
export function logDenied(
  calls: Pick<ModelCalls, "logRefusal">,
  { logger }: { readonly logger: Logger },
): OnDenied {
  return function logDeniedRequest(c, fault) {
    const key = c.get("key");
    const requestId = c.get("requestId");
    const endpoint = ENDPOINTS.find((name) => ENDPOINT_PATHS[name] === c.req.path);
    if (endpoint === undefined) {
      const { remoteAddress } = c.env;
      logger.warn("address_denied", { requestId, keyId: key.id, remoteAddress });
      return;
    }
    calls.logRefusal({ key, requestId, endpoint, signal: c.req.raw.signal }, fault);
  };
}
