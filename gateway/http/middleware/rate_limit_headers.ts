import type { MiddlewareHandler } from "@hono/hono";
import type { GatewayContext } from "../../flows/context.ts";
import type { PublicEnv } from "../env.ts";

/**
 * Returns middleware that adds to every answer, refusals included, what the key's limits leave at
 * that moment: after a JSON answer less the tokens that it used, at the beginning of a stream less
 * those that are reserved for it.
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
