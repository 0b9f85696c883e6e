import type { Handler } from "@hono/hono";
import { MODEL_AUTO } from "@svc/sdk/protocol";
import type { GatewayContext } from "../../flows/context.ts";
import type { PublicEnv } from "../env.ts";

/** `GET /openai/v1/models`: the one model, for tools that list before they call. */
export function listOpenAIModels(gateway: GatewayContext): Handler<PublicEnv> {
  return (c) => {
    const created = Math.floor(gateway.catalogs.current().updatedAtMs / 1_000);
    const auto = { id: MODEL_AUTO, object: "model", created, owned_by: "svc" };
    c.header("x-request-id", c.get("requestId"));
    return c.json({ object: "list", data: [auto] });
  };
}
