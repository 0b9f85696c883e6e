import type { Handler } from "@hono/hono";
import { ServiceFault } from "../../domain/fault.ts";
import type { GatewayContext } from "../../flows/context.ts";
import type { HostedTools } from "../../flows/hosted/hosted_tools.ts";
import { respond } from "../../flows/responses/responses.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { reservedMetadataConflict } from "../../wire/responses/resource.ts";
import type { PublicEnv } from "../env.ts";
import { readHostedTools } from "../hosted_tools.ts";
import { readJson } from "../read_json.ts";
import { responsesRequestSchema } from "../schemas/responses.ts";
import { validate } from "../validation.ts";
import { modelCall } from "./model_call.ts";

/** Handles `POST /openai/v1/responses`. */
export function createResponse(gateway: GatewayContext): Handler<PublicEnv> {
  return modelCall(gateway, {
    endpoint: "responses",
    read: (request, hold) => readJson(request, { hold }),
    check,
    answer: (caller, body, hosted) => respond(gateway, caller, { body, hosted }),
  });
}

function check({ value }: JsonBody): HostedTools {
  const { metadata, tools } = validate(responsesRequestSchema, value);
  const reserved = reservedMetadataConflict(metadata);
  if (reserved !== undefined) {
    throw new ServiceFault("invalid_request", {
      message: `Rename "metadata.${reserved}": the service writes its own there`,
      param: `metadata.${reserved}`,
    });
  }
  return readHostedTools(tools ?? []);
}
