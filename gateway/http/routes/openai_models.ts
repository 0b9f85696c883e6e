import type { Handler } from "@hono/hono";
import { MODEL_AUTO } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { EdgeDeps } from "../edge_deps.ts";
import type { PublicEnv } from "../env.ts";

/** Handles `GET /openai/v1/models`: the one model, for tools that list before they call. */
export function listOpenAIModels(edge: EdgeDeps): Handler<PublicEnv> {
  return (c) => {
    c.header("x-request-id", c.get("requestId"));
    return c.json({ object: "list", data: [autoModel(edge)] });
  };
}

/** Handles `GET /openai/v1/models/{model}`: the one model by its name. */
export function getOpenAIModel(edge: EdgeDeps): Handler<PublicEnv> {
  return (c) => {
    if (c.req.param("model") !== MODEL_AUTO) {
      throw new ServiceFault("not_found", {
        message: `There is one model here, "${MODEL_AUTO}"`,
        param: "model",
      });
    }
    c.header("x-request-id", c.get("requestId"));
    return c.json(autoModel(edge));
  };
}

function autoModel(edge: EdgeDeps) {
  const created = Math.floor(edge.catalogs.current().updatedAtMs / 1_000);
  return { id: MODEL_AUTO, object: "model", created, owned_by: "svc" };
}
