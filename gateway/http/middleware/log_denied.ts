import type { Endpoint } from "@svc/sdk/protocol";
import type { ModelCalls } from "../../flows/model_calls.ts";
import type { Logger } from "../../ports/logger.ts";
import type { OnDenied } from "./authenticate.ts";

const MODEL_CALLS: ReadonlyMap<string, Endpoint> = new Map([
  ["/openai/v1/chat/completions", "chat"],
  ["/openai/v1/responses", "responses"],
  ["/openai/v1/images/generations", "images.generations"],
  ["/openai/v1/images/edits", "images.edits"],
]);

/** Writes model calls that are refused before their route to the request log, and others to the log. */
export function logDenied(
  calls: Pick<ModelCalls, "logRefusal">,
  { logger }: { readonly logger: Logger },
): OnDenied {
  return function logDeniedRequest(c, fault) {
    const key = c.get("key");
    const requestId = c.get("requestId");
    const endpoint = MODEL_CALLS.get(c.req.path);
    if (endpoint === undefined) {
      const { remoteAddress } = c.env;
      logger.warn("address_denied", { requestId, keyId: key.id, remoteAddress });
      return;
    }
    calls.logRefusal({ key, requestId, endpoint, signal: c.req.raw.signal }, fault);
  };
}
