import { suggestion } from "../../config/suggestion.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { ModelListError } from "../../ports/upstream.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import type { AdminDeps } from "../deps.ts";
import type { Handlers } from "../routes.ts";
import { askForModels } from "./model_list.ts";
import { poolJson, upstreamsJson } from "./pool.ts";

/** Maximum wait for an upstream's list of models, in milliseconds. */
const PROBE_TIMEOUT_MS = 10_000;

/** Handlers of the pool as routing sees it, and of the models that an upstream offers. */
export function modelHandlers(deps: AdminDeps) {
  return {
    "GET /models": () => ({ version: deps.catalogs.current().version, models: poolJson(deps) }),
    "GET /upstreams": () => ({
      upstreams: upstreamsJson(deps),
      instance: deps.instance?.() ?? null,
    }),
    "GET /upstreams/{id}/models": ({ path }) => offeredModels(path.id, deps),
  } satisfies Partial<Handlers>;
}

async function offeredModels(
  id: string,
  deps: AdminDeps,
): Promise<AnswerOf<"GET /upstreams/{id}/models">> {
  const { upstreams } = deps.catalogs.current();
  const config = upstreams.find((upstream) => upstream.id === id);
  if (config === undefined) {
    throw new ServiceFault("not_found", {
      message: `There is no upstream "${id}"${suggestion(id, upstreams.map(({ id }) => id))}`,
    });
  }
  const list = await askForModels(config, { ...deps, timeoutMs: PROBE_TIMEOUT_MS });
  if (list.status === "listed") return { upstream: id, models: list.models };
  // Reasons of the adapters and of the timeout name the upstream already.
  const isWhole = list.status === "timeout" || list.cause instanceof ModelListError;
  throw new ServiceFault(list.status === "timeout" ? "upstream_timeout" : "upstream_error", {
    message: isWhole ? list.reason : `Cannot ask upstream "${id}" for its models: ${list.reason}`,
    cause: list.cause,
  });
}
