import type { Handler } from "@hono/hono";
import type { ChatTool } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { chat } from "../../flows/chat.ts";
import type { GatewayContext } from "../../flows/context.ts";
import type { PublicEnv } from "../env.ts";
import { readJson } from "../read_json.ts";
import { chatRequestSchema } from "../schemas/chat.ts";
import { validate } from "../validation.ts";
import { modelCall } from "./model_call.ts";

/** Aliases under which vendors offer hosted web search. */
const WEB_SEARCH_ALIASES = new Set(["web_search", "web_search_20250305", "web_search_preview"]);
/** Tool types that are the caller's own. */
const LOCAL_TOOLS = new Set(["function", "custom"]);

/** `POST /openai/v1/chat/completions`. */
export function chatCompletions(gateway: GatewayContext): Handler<PublicEnv> {
  return modelCall(gateway, {
    endpoint: "chat",
    read: (request) => readJson(request),
    check: ({ value }) => checkTools(validate(chatRequestSchema, value).tools ?? []),
    answer: (caller, body) => chat(gateway, caller, body),
  });
}

/** Refuses hosted tools that this endpoint does not run, by name. */
function checkTools(tools: readonly ChatTool[]): void {
  const searches = new Set(tools.map((tool) => tool.type).filter((t) => WEB_SEARCH_ALIASES.has(t)));
  if (searches.size > 1) {
    throw new ServiceFault("conflicting_tools", {
      message: `Send one web search tool, not ${[...searches].join(" and ")} together`,
      param: "tools",
    });
  }
  const at = tools.findIndex((tool) => !LOCAL_TOOLS.has(tool.type));
  if (at === -1) return;
  throw new ServiceFault("unsupported_tool", {
    message: `The tool type "${tools[at]?.type}" is not supported; declare functions instead`,
    param: `tools.${at}.type`,
  });
}
