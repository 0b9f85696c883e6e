import { ENDPOINT_PATHS, ENDPOINTS } from "../../domain/requests/endpoints.ts";
import type { ModelCalls } from "../../flows/model_calls.ts";
import type { Logger } from "../../ports/logger.ts";
import type { OnDenied } from "./authenticate.ts";

/** Writes model calls that are refused before their route into the request log, and warns of others. */
export function logDenied(
  calls: Pick<ModelCalls, "logRefusal">,
  { logger }: { readonly logger: Logger },
): OnDenied {
  return function logDeniedRequest({ key, request, requestId, remoteAddress }, fault) {
    const { pathname } = new URL(request.url);
    const endpoint = ENDPOINTS.find((name) => ENDPOINT_PATHS[name] === pathname);
    if (endpoint === undefined) {
      logger.warn("address_denied", { requestId, keyId: key.id, remoteAddress });
      return;
    }
    calls.logRefusal({ key, requestId, endpoint, signal: request.signal }, fault);
  };
}
