import type { ModelCalls } from "../../flows/model_calls.ts";
import { readHostedTools } from "../hosted_tools.ts";
import { readJson } from "../read_json.ts";
import { chatRequestSchema } from "../schemas/chat.ts";
import { isPlainChat } from "../schemas/plain_chat.ts";
import { validate } from "../validation.ts";
import { modelCall, type ModelEdge, type ModelHandler } from "./model_call.ts";

/** Handles `POST /openai/v1/chat/completions`. */
export function chatCompletions(calls: ModelCalls, edge: ModelEdge): ModelHandler {
  return modelCall({
    endpoint: "chat",
    read: readJson,
    check: ({ value }) =>
      readHostedTools(isPlainChat(value) ? [] : validate(chatRequestSchema, value).tools ?? []),
    call: (incoming) => calls.chat(incoming),
  }, edge);
}
