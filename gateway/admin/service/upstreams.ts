import type { AdminApp, AdminDeps } from "../deps.ts";
import { RECENT_MINUTES } from "../../upstreams/recent_attempts.ts";
import { poolJson } from "../catalog/models.ts";
import { resource } from "../resource.ts";

/** `/upstreams`: the pool as the gateway sees it, upstream by upstream. */
export function serveUpstreams(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/upstreams", {
    GET: (context) => context.json({ upstreams: upstreamsJson(deps) }),
  });
}

/** Upstreams with the models that they serve. */
export function upstreamsJson(deps: AdminDeps): Record<string, unknown>[] {
  const models = poolJson(deps);
  const inFlight = deps.pool.inFlight();
  return deps.catalogs.current().upstreams.map(({ id, kind, provider, maxInFlight }) => {
    const served = models.filter(({ upstream }) => upstream === id)
      .map(({ id, status, reason, retryAfterMs, latencyMs, failures }) => ({
        ...{ id, status, reason, retryAfterMs, latencyMs, failures },
      }));
    const wanted = served.filter(({ status }) => status !== "disabled");
    const good = wanted.filter(({ status }) => status === "available").length;
    return {
      id,
      kind,
      provider,
      state: wanted.length === 0
        ? "unused"
        : good === wanted.length
        ? "available"
        : good === 0
        ? "unavailable"
        : "degraded",
      inFlight: inFlight.get(id) ?? 0,
      maxInFlight,
      recent: { minutes: RECENT_MINUTES, ...deps.pool.recent(id) },
      models: served,
    };
  });
}
