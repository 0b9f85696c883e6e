import type { Context, Handler } from "@hono/hono";
import { eTag, ifNoneMatch } from "@std/http/etag";
import type { Locale } from "@svc/sdk/protocol";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { modelMeta, publicModels, tierPricing } from "../../domain/catalog/public_catalog.ts";
import type { EdgeDeps } from "../edge_deps.ts";
import type { PublicEnv } from "../env.ts";

/**
 * Time that caches may keep the public list, in seconds: a change of the catalog shows within it.
 */
const LIST_MAX_AGE_S = 1;

/** Handles `GET /api/v1/models`, which needs no key. */
export function listModels(edge: EdgeDeps): Handler<PublicEnv> {
  return (c) =>
    answer(c, edge, {
      cacheControl: `public, max-age=${LIST_MAX_AGE_S}`,
      project: (catalog, locale) => {
        const states = edge.pool.states(edge.clock.nowMs());
        return { success: true, data: { models: publicModels(catalog, { locale, states }) } };
      },
    });
}

/** Handles `GET /api/v1/models/meta`. */
export function getModelMeta(edge: EdgeDeps): Handler<PublicEnv> {
  return (c) => answer(c, edge, { cacheControl: "private, no-cache", project: modelMeta });
}

/** Handles `GET /api/v1/pricing`. */
export function getPricing(edge: EdgeDeps): Handler<PublicEnv> {
  return (c) => answer(c, edge, { cacheControl: "private, no-cache", project: tierPricing });
}

async function answer(
  c: Context<PublicEnv>,
  edge: EdgeDeps,
  view: { cacheControl: string; project(catalog: Catalog, locale: Locale): unknown },
): Promise<Response> {
  const locale = localeOf(c);
  const body = JSON.stringify(view.project(edge.catalogs.current(), locale));
  const etag = await eTag(body) ?? "";
  const headers = {
    "cache-control": view.cacheControl,
    "content-language": locale,
    "etag": etag,
    "x-request-id": c.get("requestId"),
  };
  if (!ifNoneMatch(c.req.raw.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

function localeOf(c: Context<PublicEnv>): Locale {
  const [locale = "en", ...more] = c.req.queries("locale") ?? [];
  if (more.length === 0 && (locale === "en" || locale === "zh")) return locale;
  throw new ServiceFault("invalid_request", {
    message: 'Send one locale, "en" or "zh", or none',
    param: "locale",
  });
}
