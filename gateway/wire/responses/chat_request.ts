/**
 * Translates a Responses request to an equivalent Chat Completions request.
 *
 * @module
 */

import {
  type ChatRequest,
  type ChatTool,
  isJsonObject,
  type ResponsesRequest,
} from "@svc/sdk/protocol";
import { chatFeatureSteps, type RequestFeatures } from "../../domain/requests/features.ts";
import { hostedToolOf } from "../../domain/requests/hosted_tool_types.ts";
import { invariant } from "../../domain/invariant.ts";
import { atOnce, STEP_CHARS, type Steps } from "../../domain/redaction/steps.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers, elements, members } from "../json/text.ts";
import { ChatMessages, type OpaqueOwner } from "./chat_messages.ts";
import { callerPath, type MessageSource } from "./caller_paths.ts";
import { requestItems } from "./items.ts";
import { LOGPROBS_INCLUDE, wantsLogprobs } from "./logprobs.ts";
import { type Loss, lostMembers } from "./loss.ts";

/** A chat request: the text to send and its value. */
export interface ChatBody extends JsonBody {
  readonly value: ChatRequest;
  /** True when its tool choice was not made by the caller. */
  readonly isOwnChoice?: boolean | undefined;
}

/** A translated request. */
export interface TranslatedRequest {
  readonly chat: ChatBody;
  /** Fields that it does not carry, each with the consequence. */
  readonly losses: readonly Loss[];
  /** Text that models of a Responses upstream read and that `chat` does not have. */
  readonly nativeTexts: readonly string[];
  /** The source of each message. */
  readonly sources: readonly MessageSource[];
}

/** Context of a request besides its own fields. */
export interface TranslationOptions {
  /** Items before the request's own: of the responses that it continues. */
  readonly earlierItems?: readonly JsonBody[] | undefined;
  /** Items that it refers to, by id. */
  readonly references?: ReadonlyMap<string, JsonBody> | undefined;
  /** Texts for a model about searches without an answer text, by the ids of their items. */
  readonly findings?: ReadonlyMap<string, string> | undefined;
}

/** Fields that are translated, or that the service itself acts on. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "text"],
  ...["reasoning", "max_output_tokens", "metadata", "store", "previous_response_id", "include"],
  ...["truncation", "top_logprobs"],
]);

/** Fields that Chat Completions lacks. */
const LOST: Readonly<Record<string, Omit<Loss, "path">>> = {
  background: { reason: "responses are not made in the background", action: "refuse" },
  conversation: {
    reason: "conversations are not kept; use previous_response_id",
    action: "refuse",
  },
  prompt: { reason: "prompt templates are not kept; send the prompt itself", action: "refuse" },
  moderation: { reason: "moderation is not carried", action: "native" },
  max_tool_calls: { reason: "models set no limit to tool calls", action: "report" },
  context_management: { reason: "the context is not managed", action: "report" },
  stream_options: { reason: "events are not padded", action: "report" },
  image: { reason: "images are not compressed", action: "report" },
  access_programs: { reason: "access programs are OpenAI's own", action: "report" },
};

/** Values that request nothing. */
const IDLE: Readonly<Record<string, unknown>> = { background: false };

/** Parameters of Chat Completions that Responses lacks: they would override translated ones. */
const FOREIGN: ReadonlySet<string> = new Set([
  ...["messages", "n", "max_tokens", "max_completion_tokens", "response_format", "functions"],
  ...["function_call", "modalities", "audio", "logprobs", "reasoning_effort", "verbosity"],
]);

/** Extras that can be left out without a loss. */
const HARMLESS_INCLUDES: ReadonlySet<string> = new Set([
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  LOGPROBS_INCLUDE,
]);

/**
 * Translates a validated request. Unknown fields pass through; parts that cannot be converted are
 * listed.
 */
export function chatRequestOf(body: JsonBody, options: TranslationOptions = {}): TranslatedRequest {
  const request = body.value as unknown as ResponsesRequest;
  const built = new ChatMessages(options);
  const items = requestItems(body);
  const earlierItems = options.earlierItems ?? [];
  if (typeof request.instructions === "string") {
    built.instruct(request.instructions, items.length === 0 && earlierItems.length === 0);
  }
  for (const item of earlierItems) built.add(item, "previous_response_id");
  const isText = typeof request.input === "string";
  for (const [at, item] of items.entries()) built.add(item, isText ? "input" : `input.${at}`);
  built.finish();
  if (built.messages.length === 0) {
    const reason = "no item of it says anything that a chat could begin with";
    built.losses.push({ path: "input", reason, action: "native" });
  }
  const { losses, messages, opaque, sources } = built;
  const value: ChatRequest = {
    ...carried(request, losses),
    model: request.model,
    messages,
    ...toolFields(request, losses),
    ...answerFields(request, losses),
  };
  includeLosses(request, losses);
  return { chat: writtenWhenRead(value, opaque), losses, nativeTexts: built.nativeTexts, sources };
}

/**
 * Most requests are never sent in this form: they are refused, or sent to an upstream of Responses.
 */
function writtenWhenRead(value: ChatRequest, opaque: readonly OpaqueOwner[]): ChatBody {
  let written: string | undefined;
  return {
    value,
    get text() {
      return written ??= withOpaque(JSON.stringify(value), opaque);
    },
  };
}

/** A translated request with its features for routing. */
type MeasuredRequest = TranslatedRequest & { readonly features: RequestFeatures };

/** Translates a request and returns its features for routing. */
export function responsesFeatures(
  body: JsonBody,
  options: TranslationOptions = {},
): MeasuredRequest {
  return atOnce(responsesFeatureSteps(body, options));
}

/** Does the same in steps, for requests that may be long. */
export function* responsesFeatureSteps(
  body: JsonBody,
  options: TranslationOptions = {},
): Steps<MeasuredRequest> {
  const translated = chatRequestOf(body, options);
  if (body.text.length > STEP_CHARS) yield;
  const features = yield* chatFeatureSteps(translated.chat.value, translated.nativeTexts);
  const needPaths = Object.fromEntries(
    Object.entries(features.needPaths ?? {}).map(([need, path]) => [
      need,
      callerPath(path, translated.sources),
    ]),
  );
  return { ...translated, features: { ...features, endpoint: "responses", needPaths } };
}

/** Returns fields of the same name and meaning, and unknown ones. */
function carried(request: ResponsesRequest, losses: Loss[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    if (TAKEN.has(name) || value === null || value === undefined) continue;
    if (Object.hasOwn(LOST, name)) {
      const loss = LOST[name];
      if (loss !== undefined && IDLE[name] !== value) losses.push({ path: name, ...loss });
    } else if (FOREIGN.has(name)) {
      losses.push({ path: name, reason: "it is no parameter of Responses", action: "refuse" });
    } else fields[name] = value;
  }
  return fields;
}

function toolFields(request: ResponsesRequest, losses: Loss[]): Partial<ChatRequest> {
  const tools = (request.tools ?? []).map((tool, at) => chatTool(tool, `tools.${at}`, losses));
  const fields: Partial<ChatRequest> = {};
  if (tools.length > 0) {
    fields.tools = tools;
    if (typeof request.parallel_tool_calls === "boolean") {
      fields.parallel_tool_calls = request.parallel_tool_calls;
    }
  }
  const choice = request.tool_choice ?? undefined;
  // Without tools there is no choice, and upstreams refuse the field.
  const isIdle = tools.length === 0 && (choice === "auto" || choice === "none");
  if (choice !== undefined && !isIdle) fields.tool_choice = chatToolChoice(choice, tools, losses);
  return fields;
}

/** Fields of a function's declaration that only Responses has. */
const FUNCTION_EXTRAS: readonly string[] = [
  ...["allowed_callers", "async", "defer_loading", "output_schema"],
];

function chatTool(
  tool: Readonly<Record<string, unknown>> & { type: string },
  path: string,
  losses: Loss[],
): ChatTool {
  noteCustom(tool, path, losses);
  if (tool.type !== "function") return tool;
  const { type: _type, name, description, parameters, strict, ...more } = tool;
  const rest = Object.entries(more).filter(([field, value]) => {
    if (!FUNCTION_EXTRAS.includes(field) || value === null) return true;
    losses.push({ path: `${path}.${field}`, reason: "functions have none", action: "report" });
    return false;
  });
  return {
    ...Object.fromEntries(rest),
    type: "function",
    function: {
      name: String(name),
      ...(typeof description === "string" ? { description } : {}),
      ...(isJsonObject(parameters) ? { parameters } : {}),
      ...(typeof strict === "boolean" ? { strict } : {}),
    },
  };
}

/**
 * Few chat upstreams support tools with plain text input, and each returns their calls in another
 * form.
 */
function noteCustom({ type }: { readonly type?: unknown }, path: string, losses: Loss[]): void {
  if (type !== "custom") return;
  const reason = "only functions can be called here, no custom tools";
  losses.push({ path: `${path}.type`, reason, action: "native" });
}

/** A hosted tool cannot be chosen unless it is declared, though a function may have its name. */
function noteUndeclared(
  { type }: { readonly type?: unknown },
  path: string,
  { declared, losses }: { readonly declared: readonly ChatTool[]; readonly losses: Loss[] },
): void {
  const hosted = typeof type === "string" ? hostedToolOf(type) : undefined;
  if (hosted === undefined || declared.some((tool) => hostedToolOf(tool.type) === hosted)) return;
  losses.push({ path, reason: `"${type}" is not declared among the tools`, action: "native" });
}

function chatToolChoice(
  choice: NonNullable<ResponsesRequest["tool_choice"]>,
  declared: readonly ChatTool[],
  losses: Loss[],
) {
  if (typeof choice === "string") return choice;
  noteCustom(choice, "tool_choice", losses);
  noteUndeclared(choice, "tool_choice", { declared, losses });
  if (choice.type === "function") {
    return { type: "function", function: { name: String(choice.name) } };
  }
  if (choice.type !== "allowed_tools") return choice;
  const tools = Array.isArray(choice["tools"]) ? choice["tools"] : [];
  for (const [at, tool] of tools.entries()) {
    const path = `tool_choice.tools.${at}`;
    noteCustom(Object(tool), path, losses);
    noteUndeclared(Object(tool), path, { declared, losses });
  }
  return {
    type: "allowed_tools",
    allowed_tools: {
      mode: choice["mode"],
      tools: tools.map((tool) =>
        tool?.type === "function" ? { type: "function", function: { name: tool.name } } : tool
      ),
    },
  };
}

/** Converts format, length and effort of the answer. */
function answerFields(request: ResponsesRequest, losses: Loss[]): Partial<ChatRequest> {
  const { text, reasoning, max_output_tokens } = request;
  const fields: Partial<ChatRequest> = {};
  const format = text?.format;
  if (format?.type === "json_schema") {
    const { type, ...schema } = format;
    fields.response_format = { type, json_schema: schema };
  } else if (format !== undefined && format.type !== "text") fields.response_format = format;
  if (typeof text?.verbosity === "string") fields["verbosity"] = text.verbosity;
  if (typeof reasoning?.effort === "string") fields["reasoning_effort"] = reasoning.effort;
  losses.push(
    ...lostMembers(reasoning ?? {}, ["effort", "summary", "generate_summary"], "reasoning"),
    ...lostMembers(text ?? {}, ["format", "verbosity"], "text"),
  );
  if (typeof max_output_tokens === "number") fields.max_completion_tokens = max_output_tokens;
  if (wantsLogprobs(request)) {
    fields["logprobs"] = true;
    const most = request["top_logprobs"];
    if (typeof most === "number" && most > 0) fields["top_logprobs"] = most;
  }
  return fields;
}

function includeLosses({ include }: ResponsesRequest, losses: Loss[]): void {
  for (const [at, extra] of (include ?? []).entries()) {
    if (HARMLESS_INCLUDES.has(extra)) continue;
    const reason = `"${extra}" is not carried`;
    losses.push({ path: `include.${at}`, reason, action: "report" });
  }
}

/** Restores the bytes of opaque members. */
function withOpaque(text: string, owners: readonly OpaqueOwner[]): string {
  if (owners.length === 0) return text;
  const list = members(text).findLast((member) => member.key === "messages");
  invariant(list !== undefined, "Cannot find the messages in a text that has just been written");
  const messages = elements(text, list.valueStart).map(({ start, end }) => text.slice(start, end));
  for (const { message, call, opaque } of owners) {
    const written = messages[message];
    invariant(written !== undefined, `Cannot find message ${message}`);
    messages[message] = call === undefined
      ? editMembers(written, opaque)
      : withCallOpaque(written, call, opaque);
  }
  return `${text.slice(0, list.valueStart)}[${messages.join(",")}]${text.slice(list.valueEnd)}`;
}

function withCallOpaque(message: string, call: number, opaque: OpaqueOwner["opaque"]): string {
  const list = members(message).findLast((member) => member.key === "tool_calls");
  const span = list && elements(message, list.valueStart)[call];
  invariant(span !== undefined, `Cannot find tool call ${call}`);
  const written = editMembers(message.slice(span.start, span.end), opaque);
  return message.slice(0, span.start) + written + message.slice(span.end);
}
