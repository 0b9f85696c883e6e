import type { Handler } from "@hono/hono";
import type { ChatTool } from "@svc/sdk/protocol";
import { MODEL_AUTO } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/key.ts";
import { chat } from "../../flows/chat.ts";
import type { GatewayContext } from "../../flows/context.ts";
import { logFailure } from "../../flows/log_failure.ts";
import { type Caller, RequestTrace } from "../../flows/request_trace.ts";
import type { JsonBody } from "../../ports/upstream.ts";
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
    let leave = () => {};
    const caller: Caller = {
      key: c.get("key"),
      requestId: c.get("requestId"),
      logId: gateway.rng.id("log"),
      endpoint: "chat",
      stream: false,
      signal: c.req.raw.signal,
      onSettled: () => leave(),
    };
    const headers: Record<string, string> = { "x-request-id": caller.requestId };
    let body: JsonBody;
    try {
      requireEndpoint(caller.key);
      body = await readJson(c.req.raw);
      // Only now: a body that comes slowly would keep others of the key waiting.
      const admitted = gateway.admission.admit(caller.key, gateway.clock.nowMs());
      leave = admitted.leave;
      Object.assign(headers, admitted.headers);
      checkRequest(body);
    } catch (error) {
      leave();
      logFailure(gateway, new RequestTrace(caller, gateway.clock), error);
      throw error;
    }
    const answer = await chat(gateway, { ...caller, stream: body.value.stream === true }, body);
    if (answer.kind === "json") {
      headers["content-type"] = "application/json";
      return new Response(answer.text, { headers });
    }
    headers["content-type"] = "text/event-stream; charset=utf-8";
    headers["cache-control"] = "no-cache";
    // Nginx would otherwise gather a stream into one piece.
    headers["x-accel-buffering"] = "no";
    return new Response(answer.bytes, { headers });
  };
}

function requireEndpoint(key: KeyRecord): void {
  const { endpoints } = key.policy;
  if (endpoints === undefined || endpoints.includes("chat")) return;
  throw new ServiceFault("policy_denied", {
    message: `The key's policy allows ${endpoints.join(", ") || "no endpoint"}, not chat`,
  });
}

function checkRequest(body: JsonBody): void {
  if (body.value.model !== MODEL_AUTO) {
    throw new ServiceFault("model_not_allowed", { param: "model" });
  }
  const request = validate(chatRequestSchema, body.value);
  checkTools(request.tools ?? []);
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
