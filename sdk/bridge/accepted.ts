import type { JsonObject } from "@svc/tools/json";
import { isJsonObject } from "@svc/tools/json";
import type { MessageCreateRequest } from "../messages/shapes.ts";

type Fields = Readonly<Record<string, readonly string[]>>;

/**
 * Fields of a request that have a meaning here. The last line has no place in Chat Completions and
 * is passed on to be refused: leaving it out would change what the caller gets. Every other field is
 * a hint to Anthropic's own servers, or newer than this library, and is left out.
 */
const REQUEST = [
  ...["messages", "system", "max_tokens", "stop_sequences", "tools", "tool_choice", "thinking"],
  ...["output_config", "output_format", "metadata", "service_tier"],
  ...["temperature", "top_p", "top_k"],
  ...["container", "mcp_servers", "inference_geo"],
];

/** Fields of an assistant's message that its provider expects back. */
const MESSAGE = ["role", "content", "extra_content", "reasoning_details"];

/**
 * Fields of blocks, by type. A `tool_use` block is passed on whole: its provider wrote it, and may
 * have signed it. A block of another type is passed on, and refused with its path.
 */
const BLOCKS: Fields = {
  text: ["type", "text", "citations", "cache_control"],
  image: ["type", "source", "cache_control"],
  document: ["type", "source", "title", "context", "citations", "cache_control"],
  search_result: ["type", "source", "title", "content", "citations", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
};

const CUSTOM_TOOL = ["type", "name", "description", "input_schema", "strict", "cache_control"];

/** Fields of members that are objects. */
const MEMBERS: Fields = {
  thinking: ["type", "budget_tokens"],
  output_config: ["effort", "format"],
  metadata: ["user_id"],
  tool_choice: ["type", "name", "disable_parallel_tool_use"],
};

/** A line that one client writes into its instructions for Anthropic's servers, not for a model. */
const HEADER_LINE = /^x-anthropic-[a-z-]+:/;

/** A request as it can be converted. */
export interface AcceptedRequest {
  /** The request, without the fields that mean nothing here. */
  readonly request: MessageCreateRequest;
  /** True when the answer is streamed. */
  readonly stream: boolean;
  /** True when the caller wants thinking blocks without their text. */
  readonly hidesThinking: boolean;
  /** Names of the fields of the request that were left out. */
  readonly leftOut: readonly string[];
}

/**
 * Reads a request of Anthropic's API. The model is always chosen by the service. Values are checked
 * by the conversion.
 */
export function acceptedRequest(body: JsonObject): AcceptedRequest {
  const { model: _, stream, ...fields } = body;
  const request: Record<string, unknown> = kept(fields, REQUEST);
  for (const [name, known] of Object.entries(MEMBERS)) {
    if (name in request) request[name] = kept(request[name], known);
  }
  if ("system" in request) request["system"] = instructions(request["system"]);
  if ("tools" in request) request["tools"] = each(request["tools"], tool);
  request["messages"] = each(request["messages"], message);
  const { thinking } = body;
  return {
    request: request as unknown as MessageCreateRequest,
    stream: stream === true,
    hidesThinking: isJsonObject(thinking) && thinking["display"] === "omitted",
    leftOut: Object.keys(fields).filter((name) => !REQUEST.includes(name)),
  };
}

/** Returns an object with only these fields; another value unchanged, to be refused. */
function kept<Value>(value: Value, names: readonly string[]): Value | Record<string, unknown> {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

function each(value: unknown, change: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : value;
}

function message(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return { ...kept(value, MESSAGE), content: each(value["content"], block) };
}

function block(value: unknown): unknown {
  const type = isJsonObject(value) ? value["type"] : undefined;
  if (!isJsonObject(value) || typeof type !== "string" || !Object.hasOwn(BLOCKS, type)) {
    return value;
  }
  const fields = kept(value, BLOCKS[type] ?? []);
  return "content" in value ? { ...fields, content: each(value["content"], block) } : fields;
}

function tool(value: unknown): unknown {
  const type = isJsonObject(value) ? value["type"] ?? "custom" : undefined;
  return type === "custom" ? kept(value, CUSTOM_TOOL) : value;
}

function instructions(system: unknown): unknown {
  if (!Array.isArray(system)) return system;
  return system.map(block).filter((one) =>
    !isJsonObject(one) || !HEADER_LINE.test(String(one["text"] ?? ""))
  );
}
