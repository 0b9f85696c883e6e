import type { Handler } from "@hono/hono";
import { MODEL_AUTO } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { GatewayContext } from "../../flows/context.ts";
import type { PublicEnv } from "../env.ts";

/** Handles `GET /openai/v1/models`: the one model, for tools that list before they call. */
export function listOpenAIModels(gateway: GatewayContext): Handler<PublicEnv> {
  return (c) => {
    c.header("x-request-id", c.get("requestId"));
    return c.json({ object: "list", data: [autoModel(gateway)] });
  };
}

/** Handles `GET /openai/v1/models/{model}`: the one model by its name. */
export function getOpenAIModel(gateway: GatewayContext): Handler<PublicEnv> {
  return (c) => {
    if (c.req.param("model") !== MODEL_AUTO) {
      throw new ServiceFault("not_found", {
        message: `There is one model here, "${MODEL_AUTO}"`,
        param: "model",
      });
    }
    c.header("x-request-id", c.get("requestId"));
    return c.json(autoModel(gateway));
  };
}

function autoModel(gateway: GatewayContext) {
  const created = Math.floor(gateway.catalogs.current().updatedAtMs / 1_000);
  return { id: MODEL_AUTO, object: "model", created, owned_by: "svc" };
}
