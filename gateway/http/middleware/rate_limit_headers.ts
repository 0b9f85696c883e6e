import type { MiddlewareHandler } from "@hono/hono";
import type { GatewayContext } from "../../flows/context.ts";
import type { PublicEnv } from "../env.ts";

/**
 * Says with every answer, a refusal too, what the key's limits leave at that moment: after a JSON
 * answer with the tokens that it took, with the beginning of a stream with those set aside for it.
 */
export function rateLimitHeaders(
  { admission, clock }: Pick<GatewayContext, "admission" | "clock">,
): MiddlewareHandler<PublicEnv> {
  return async function rateLimitHeadersMiddleware(c, next) {
    await next();
    const headers = admission.headers(c.get("key"), clock.nowMs());
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };
}
