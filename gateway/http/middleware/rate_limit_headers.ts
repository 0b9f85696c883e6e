import type { MiddlewareHandler } from "@hono/hono";
import type { PublicEnv } from "../env.ts";

/**
 * Adds to every answer of a model call, also to a refusal, what the key's limits leave at that moment:
 * after a JSON answer with its tokens counted, at the beginning of a stream with those reserved for it.
 */
export function rateLimitHeaders(): MiddlewareHandler<PublicEnv> {
  return async function rateLimitHeadersMiddleware(c, next) {
    await next();
    const headers = c.get("rateLimits") ?? {};
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };
}
