import type { MiddlewareHandler } from "@hono/hono";
import type { PublicEnv } from "../env.ts";

/**
 * Adds the `x-ratelimit-*` headers to every answer of a model call, also to a refusal. A JSON
 * answer has its tokens counted; the beginning of a stream has its reserved tokens counted.
 */
export function rateLimitHeaders(): MiddlewareHandler<PublicEnv> {
  return async function rateLimitHeadersMiddleware(c, next) {
    await next();
    const headers = c.get("rateLimits") ?? {};
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  };
}
