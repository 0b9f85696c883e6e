import type { Handler } from "@hono/hono";
import type { ChatTool } from "@svc/sdk/protocol";
import { MODEL_AUTO } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/key.ts";
import { chat } from "../../flows/chat.ts";
import type { GatewayContext } from "../../flows/context.ts";
import type { PublicEnv } from "../env.ts";
import { readJson } from "../read_json.ts";
import { chatRequestSchema } from "../schemas/chat.ts";
import { validate } from "../validation.ts";

/** Aliases under which vendors offer hosted web search. */
const WEB_SEARCH_ALIASES = new Set(["web_search", "web_search_20250305", "web_search_preview"]);
/** Tool types that are the caller's own. */
const LOCAL_TOOLS = new Set(["function", "custom"]);

/** `POST /openai/v1/chat/completions`. */
export function chatCompletions(gateway: GatewayContext): Handler<PublicEnv> {
  return async function chatCompletionsHandler(c) {
    const key = c.get("key");
    requireEndpoint(key);
    const admitted = gateway.admission.admit(key, gateway.clock.nowMs());
    const headers = { ...admitted.headers, "x-request-id": c.get("requestId") };
    try {
      const body = await readJson(c.req.raw);
      if (body.value.model !== MODEL_AUTO) {
        throw new ServiceFault("model_not_allowed", { param: "model" });
      }
      const request = validate(chatRequestSchema, body.value);
      checkTools(request.tools ?? []);
      const stream = request.stream === true;
      const answer = await chat(gateway, {
        key,
        requestId: headers["x-request-id"],
        logId: gateway.rng.id("log"),
        endpoint: "chat",
        stream,
        signal: c.req.raw.signal,
        onSettled: admitted.leave,
      }, body);
      return answer.kind === "json"
        ? new Response(answer.text, { headers: { ...headers, "content-type": "application/json" } })
        : new Response(answer.bytes, {
          headers: {
            ...headers,
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-cache",
            "x-accel-buffering": "no",
          },
        });
    } catch (error) {
      admitted.leave();
      throw error;
    }
  };
}

function requireEndpoint(key: KeyRecord): void {
  const { endpoints } = key.policy;
  if (endpoints === undefined || endpoints.includes("chat")) return;
  throw new ServiceFault("policy_denied", {
    message: `The key's policy allows ${endpoints.join(", ") || "no endpoint"}, not chat`,
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
