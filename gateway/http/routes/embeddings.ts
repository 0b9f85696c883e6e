import { EMBEDDING_INPUTS_MAX, EMBEDDING_TOKENS_MAX } from "@svc/sdk/protocol";
import type { ModelCalls } from "../../flows/model_calls.ts";
import { BODY_MAX_VALUES, readJson } from "../read_json.ts";
import { embeddingRequestSchema } from "../schemas/embeddings.ts";
import { validate } from "../validation.ts";
import { modelCall, type ModelEdge, type ModelHandler } from "./model_call.ts";

/** Token ids are many JSON values, each of them small. */
const MAX_VALUES = EMBEDDING_TOKENS_MAX + EMBEDDING_INPUTS_MAX + BODY_MAX_VALUES;

/** Handles `POST /openai/v1/embeddings`. */
export function createEmbeddings(calls: ModelCalls, edge: ModelEdge): ModelHandler {
  return modelCall({
    endpoint: "embeddings",
    read: (request, options) => readJson(request, { ...options, maxValues: MAX_VALUES }),
    check: ({ value }) => void validate(embeddingRequestSchema, value),
    call: (incoming) => calls.embeddings(incoming),
  }, edge);
}
