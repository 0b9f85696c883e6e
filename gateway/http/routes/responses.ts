import { ServiceFault } from "../../domain/fault.ts";
import type { HostedTools } from "../../flows/hosted/hosted_tools.ts";
import type { ModelCalls } from "../../flows/model_calls.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { reservedMetadataConflict } from "../../wire/responses/resource.ts";
import { readHostedTools } from "../hosted_tools.ts";
import { readJson } from "../read_json.ts";
import { responsesRequestSchema } from "../schemas/responses.ts";
import { validate } from "../validation.ts";
import { modelCall, type ModelEdge, type ModelHandler } from "./model_call.ts";

/** Handles `POST /openai/v1/responses`. */
export function createResponse(calls: ModelCalls, edge: ModelEdge): ModelHandler {
  return modelCall({
    endpoint: "responses",
    read: readJson,
    check,
    call: (incoming) => calls.responses(incoming),
  }, edge);
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
