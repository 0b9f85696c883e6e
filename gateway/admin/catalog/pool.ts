import { missingCredentials } from "../../config/missing_credentials.ts";
import type { Model } from "../../domain/catalog/catalog.ts";
import type { TargetState } from "../../domain/routing/plan.ts";
import { RECENT_MINUTES } from "../../upstreams/recent_attempts.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { AdminDeps } from "../deps.ts";

type PoolModel = AnswerOf<"GET /models">["models"][number];

/** Returns every model of the catalog, and whether it can be routed to. */
export function poolJson(
  deps: Pick<AdminDeps, "catalogs" | "pool" | "clock" | "env">,
): readonly PoolModel[] {
  const catalog = deps.catalogs.current();
  const states = deps.pool.states(deps.clock.nowMs());
  const inFlight = deps.pool.inFlight();
  const missing = deps.env === undefined ? [] : missingCredentials(catalog.upstreams, deps.env);
  const variables = new Map(missing.map(({ upstream, variable }) => [upstream, variable]));
  return catalog.models.map((model) => ({
    id: model.id,
    name: model.name,
    upstream: model.upstream,
    upstreamModel: model.upstreamModel,
    endpoints: model.endpoints,
    quality: model.quality,
    price: model.price,
    ...stateJson(model, states.get(model.id), variables.get(model.upstream)),
    inFlight: inFlight.get(model.upstream) ?? 0,
  }));
}

/**
 * Returns the state of a model for routing; `variable` is an unset variable with its credentials.
 */
function stateJson(
  { disabled }: Model,
  state: TargetState | undefined,
  variable: string | undefined,
): Pick<PoolModel, "status" | "reason" | "retryAfterMs" | "latencyMs" | "failures"> {
  return {
    ...disabled
      ? { status: "disabled", reason: "Disabled in the catalog" }
      : variable !== undefined
      ? { status: "no credentials", reason: `The environment variable ${variable} is not set` }
      : state !== undefined && !state.available
      ? { status: "degraded", reason: state.reason ?? null }
      : { status: "available", reason: null },
    retryAfterMs: state?.retryAfterMs ?? null,
    latencyMs: state?.latencyMs ?? null,
    failures: state?.failures ?? 0,
  };
}

/** Returns the upstreams with their state and the models that they serve. */
export function upstreamsJson(deps: AdminDeps): AnswerOf<"GET /upstreams">["upstreams"] {
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
