import type { MiddlewareHandler } from "@hono/hono";
import type { ReaderEnv } from "./env.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/**
 * Adds headers that forbid a browser: code and styles from elsewhere, frames around a page, access to
 * its window from another one, guesses at types, device features that no page uses, and telling other
 * sites the address of a page.
 *
 * The referrer stays within the console instead of being withheld altogether: browsers that send none
 * also withhold the `Origin` of a form, which identifies changes from elsewhere.
 */
export function securityHeaders(): MiddlewareHandler<ReaderEnv> {
  return async function addSecurityHeaders(context, next): Promise<void> {
    await next();
    const { headers } = context.res;
    headers.set("content-security-policy", POLICY);
    headers.set("x-content-type-options", "nosniff");
    headers.set("x-frame-options", "DENY");
    headers.set("referrer-policy", "same-origin");
    headers.set("cross-origin-resource-policy", "same-origin");
    headers.set("cross-origin-opener-policy", "same-origin");
    headers.set("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()");
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  };
}
