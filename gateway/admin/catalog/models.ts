import { missingCredentials } from "../../config/missing_credentials.ts";
import type { Model } from "../../domain/catalog/catalog.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { TargetState } from "../../domain/routing/plan.ts";
import { ModelListError } from "../../ports/upstream.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { askForModels } from "./model_list.ts";
import { suggestion } from "../../config/suggestion.ts";
import { resource, segment } from "../resource.ts";

/** Longest wait for an upstream's list of models, in milliseconds. */
const PROBE_TIMEOUT_MS = 10_000;

/** `/models`: the pool as routing sees it, and `/upstreams/{id}/models`: what an upstream offers. */
export function serveModels(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/models", { GET: (context) => listModels(context, deps) });
  resource(app, "/upstreams/:id/models", { GET: (context) => probe(context, deps) });
}

function listModels(context: AdminContext, deps: AdminDeps): Response {
  const { version } = deps.catalogs.current();
  return context.json({ version, models: poolJson(deps) });
}

/** Every model of the catalog and whether it can be routed to. */
export function poolJson(
  deps: Pick<AdminDeps, "catalogs" | "pool" | "clock" | "env">,
) {
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

/** Whether a model can be routed to; `variable` is the one that lacks its upstream's key. */
function stateJson(
  model: Model,
  state: TargetState | undefined,
  variable: string | undefined,
) {
  const [status, reason] = model.disabled
    ? ["disabled", "Disabled in the catalog"]
    : variable !== undefined
    ? ["no credentials", `The environment variable ${variable} is not set`]
    : state !== undefined && !state.available
    ? ["degraded", state.reason ?? null]
    : ["available", null];
  return {
    status,
    reason,
    retryAfterMs: state?.retryAfterMs ?? null,
    latencyMs: state?.latencyMs ?? null,
    failures: state?.failures ?? 0,
  };
}

async function probe(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const id = segment(context, "id");
  const { upstreams } = deps.catalogs.current();
  const config = upstreams.find((upstream) => upstream.id === id);
  if (config === undefined) {
    throw new ServiceFault("not_found", {
      message: `There is no upstream "${id}"${suggestion(id, upstreams.map(({ id }) => id))}`,
    });
  }
  const list = await askForModels(config, { ...deps, timeoutMs: PROBE_TIMEOUT_MS });
  if (list.status === "listed") return context.json({ upstream: id, models: list.models });
  // The adapters and the clock name the upstream themselves.
  const isWhole = list.status === "timeout" || list.cause instanceof ModelListError;
  throw new ServiceFault(list.status === "timeout" ? "upstream_timeout" : "upstream_error", {
    message: isWhole ? list.reason : `Cannot ask upstream "${id}" for its models: ${list.reason}`,
    cause: list.cause,
  });
}
