import type { Handler } from "@hono/hono";
import { chat } from "../../flows/chat.ts";
import type { GatewayContext } from "../../flows/context.ts";
import type { PublicEnv } from "../env.ts";
import { readHostedTools } from "../hosted_tools.ts";
import { readJson } from "../read_json.ts";
import { chatRequestSchema } from "../schemas/chat.ts";
import { isPlainChat } from "../schemas/plain_chat.ts";
import { validate } from "../validation.ts";
import { modelCall } from "./model_call.ts";

/** Handles `POST /openai/v1/chat/completions`. */
export function chatCompletions(gateway: GatewayContext): Handler<PublicEnv> {
  return modelCall(gateway, {
    endpoint: "chat",
    read: (request, hold) => readJson(request, { hold }),
    check: ({ value }) =>
      readHostedTools(isPlainChat(value) ? [] : validate(chatRequestSchema, value).tools ?? []),
    answer: (caller, body, hosted) => chat(gateway, caller, { body, hosted }),
  });
}
