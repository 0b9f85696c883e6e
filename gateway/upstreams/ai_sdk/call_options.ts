import { isJsonObject } from "@svc/sdk/protocol";
import type { JSONObject, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { UpstreamCall } from "../../ports/upstream.ts";
import type { ChatFormat } from "../providers/descriptor.ts";
import type { Feature } from "./features.ts";
import { reportUnknown } from "./known_members.ts";
import { described } from "./unenforced_schema.ts";
import type { Notes } from "./notes.ts";
import { promptOf } from "./prompt.ts";
import { toolOptions } from "./tool_options.ts";

type Fields = Readonly<Record<string, unknown>>;
type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Translates a chat request for a provider package. Fields that do not fit are in the notes. */
export function callOptionsOf(call: UpstreamCall, notes: Notes): LanguageModelV4CallOptions {
  const { value } = call.body;
  refuseUnknown(value, notes);
  const options: Mutable<LanguageModelV4CallOptions> = {
    prompt: promptOf(value["messages"], notes),
    ...sampling(value, notes),
    ...toolOptions(value, notes),
  };
  const limit = outputLimitOf(call, notes.format);
  if (limit !== undefined) options.maxOutputTokens = limit;
  const effort = value["reasoning_effort"];
  if (isEffort(effort)) options.reasoning = effort;
  else if (effort != null) notes.refuse("reasoning_effort", "It names no effort");

  const own: Record<string, JSONObject[string]> = {};
  const format = value["response_format"];
  if (isJsonObject(format)) options.responseFormat = responseFormat(format, { notes, own });
  obeyChoice(options, { call, notes, own });
  if (value["parallel_tool_calls"] === false) onlyOneCall({ notes, own });
  callerFields(value, { notes, own });
  if (Object.keys(own).length > 0) options.providerOptions = { [notes.format.optionsKey]: own };
  return options;
}

/**
 * Returns the output limit to send: the one that the gateway added or lowered, else the caller's,
 * else the limit that the hold pays for. Without a limit, some packages and providers choose one.
 */
export function outputLimitOf(
  { outputLimit, heldOutputTokens, body: { value } }: UpstreamCall,
  { needsOutputLimit = true }: ChatFormat,
): number | undefined {
  if (outputLimit !== undefined) return outputLimit;
  const limits = [value["max_completion_tokens"], value["max_tokens"]]
    .filter((limit) => typeof limit === "number");
  // Both limits are the caller's: an answer within the smaller is within both.
  if (limits.length > 0) return Math.min(...limits);
  return needsOutputLimit ? heldOutputTokens : undefined;
}

/** Fields that no package supports. */
const REFUSED_FIELDS: readonly (readonly [field: string, Feature, (value: unknown) => boolean])[] =
  [
    ["n", "n", (value) => value !== 1],
    ["logprobs", "logprobs", (value) => value !== false],
    ["top_logprobs", "logprobs", (value) => value !== 0],
    ["logit_bias", "logit_bias", (value) => !isJsonObject(value) || Object.keys(value).length > 0],
    ["prediction", "prediction", () => true],
    ["audio", "audio_output", () => true],
    ["modalities", "audio_output", (value) => !Array.isArray(value) || value.includes("audio")],
    ["functions", "functions", (value) => !Array.isArray(value) || value.length > 0],
    ["function_call", "functions", (value) => value !== "none" && value !== "auto"],
    ["web_search_options", "hosted_tools", () => true],
    ["store", "store", (value) => value !== false],
  ];

/** Fields that are translated, or that concern only the gateway. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "response_format",
  "parallel_tool_calls",
  "tools",
  "tool_choice",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "user",
  "metadata",
  ...REFUSED_FIELDS.map(([field]) => field),
]);

function refuseUnknown(value: Fields, notes: Notes): void {
  for (const [field, feature, asks] of REFUSED_FIELDS) {
    const setting = value[field];
    if (setting != null && asks(setting)) notes.allows(feature, field);
  }
  const streaming = value["stream_options"];
  if (isJsonObject(streaming)) {
    // A request for no padding is fulfilled: there is none.
    const { include_obfuscation, ...others } = streaming;
    const padded = include_obfuscation === false ? others : streaming;
    reportUnknown(padded, { of: "stream_options", path: "stream_options", notes });
  }
  for (const field of Object.keys(value)) {
    if (KNOWN_FIELDS.has(field) || value[field] == null) continue;
    if (field === "extra_content" && isAnthropicsAlone(value[field])) continue;
    notes.allows("unknown", field);
  }
}

/** True when `extra_content` has only members that {@linkcode topKOf} reads. */
function isAnthropicsAlone(extra: unknown): boolean {
  return isJsonObject(extra) && Object.keys(extra).every((name) => name === "anthropic");
}

/**
 * Returns `top_k` and its path: the caller's own, or where the client library puts that of
 * Messages.
 */
function topKOf({ top_k, extra_content: extra }: Fields): readonly [unknown, path: string] {
  if (top_k != null || !isJsonObject(extra) || !isJsonObject(extra["anthropic"])) {
    return [top_k, "top_k"];
  }
  return [extra["anthropic"]["top_k"], "extra_content.anthropic.top_k"];
}

function sampling(value: Fields, notes: Notes): Partial<LanguageModelV4CallOptions> {
  const { temperature, top_p, stop, seed, frequency_penalty, presence_penalty } = value;
  const [top_k, topKPath] = topKOf(value);
  const options: Mutable<Partial<LanguageModelV4CallOptions>> = {};
  if (typeof temperature === "number") options.temperature = temperature;
  if (typeof top_p === "number") options.topP = top_p;
  if (isNumber(top_k, topKPath, notes)) options.topK = top_k;
  const ends = typeof stop === "string" ? [stop] : Array.isArray(stop) ? stop.map(String) : [];
  if (ends.length > 0) options.stopSequences = ends;
  if (isNumber(seed, "seed", notes) && notes.allows("seed", "seed")) options.seed = seed;
  if (
    asksFor(frequency_penalty, "frequency_penalty", notes) &&
    notes.allows("penalties", "frequency_penalty")
  ) {
    options.frequencyPenalty = frequency_penalty;
  }
  if (
    asksFor(presence_penalty, "presence_penalty", notes) &&
    notes.allows("penalties", "presence_penalty")
  ) {
    options.presencePenalty = presence_penalty;
  }
  return options;
}

/** True for a number. Refuses the request for any other value that is set. */
function isNumber(value: unknown, field: string, notes: Notes): value is number {
  if (value != null && typeof value !== "number") notes.refuse(field, "Send a number");
  return typeof value === "number";
}

/** True when a penalty is set and not zero. */
function asksFor(value: unknown, field: string, notes: Notes): value is number {
  return isNumber(value, field, notes) && value !== 0;
}

interface Own {
  readonly notes: Notes;
  /** Options that only the provider's package knows. */
  readonly own: Record<string, JSONObject[string]>;
}

function responseFormat(
  format: Fields,
  { notes, own }: Own,
): NonNullable<LanguageModelV4CallOptions["responseFormat"]> {
  const { type, json_schema: written } = format;
  reportUnknown(format, { of: "response_format", path: "response_format", notes });
  if (type === "json_object") {
    if (notes.format.claude === undefined) return { type: "json" };
    // Claude has no such mode, but calls a tool that takes any object.
    own["structuredOutputMode"] = "jsonTool";
    return { type: "json", schema: { type: "object" } };
  }
  if (type === "json_schema" && isJsonObject(written)) {
    const path = "response_format.json_schema";
    reportUnknown(written, { of: path, path, notes });
    const { name, description, schema, strict } = written;
    if (strict != null && typeof strict !== "boolean") {
      notes.refuse(`${path}.strict`, "Send true or false");
    }
    if (notes.format.namesSchemas !== true) return { type: "json", schema: described(written) };
    // Azure's package is strict by default, Chat Completions is not.
    own["strictJsonSchema"] = strict === true;
    return {
      type: "json",
      schema: isJsonObject(schema) ? schema : { type: "object" },
      ...(typeof name === "string" ? { name } : {}),
      ...(typeof description === "string" ? { description } : {}),
    };
  }
  if (type !== "text") notes.refuse("response_format.type", `Unknown format "${type}"`);
  return { type: "text" };
}

/** Claude models that are never forced to call a tool: the package asks them for JSON in words. */
const NEVER_FORCED = /claude-(?:(?:sonnet|opus)-5-5|fable-5-1)/;

/**
 * Applies the choice of tools to Claude's packages. They may let the model write JSON through a
 * tool of the package, which must then be called, whatever the caller's choice. Bedrock's package
 * removes tool calls and results from a conversation in which no tool may be called any more.
 */
function obeyChoice(
  options: Mutable<LanguageModelV4CallOptions>,
  { call: { isOwnChoice = false, model }, notes, own }: Own & { readonly call: UpstreamCall },
): void {
  const { claude } = notes.format;
  if (claude === undefined) return;
  const isJson = options.responseFormat?.type === "json";
  const choice = options.toolChoice?.type;
  if (choice === "required" || choice === "tool") {
    // A tool call cannot be held to a format.
    if (isJson && !notes.allows("forced_call_json", "response_format")) {
      delete options.responseFormat;
    }
    return;
  }
  if (choice !== "none") return;
  const losesCalls = claude.dropsCalls && options.prompt.some(({ role }) => role === "tool");
  if (isJson && !(losesCalls && NEVER_FORCED.test(model))) {
    // The package's tool is then the only one; on Bedrock it keeps the conversation complete.
    delete options.tools;
    delete options.toolChoice;
    if (losesCalls) own["structuredOutputMode"] = "jsonTool";
  } else if (losesCalls && (isOwnChoice || !notes.allows("no_more_calls", "tool_choice"))) {
    options.toolChoice = { type: "auto" };
  }
}

function onlyOneCall({ notes, own }: Own): void {
  if (!notes.allows("parallel_tool_calls", "parallel_tool_calls")) return;
  Object.assign(own, notes.format.oneCallOptions ?? { parallelToolCalls: false });
}

/** Translates the fields that describe the caller. */
function callerFields({ user, metadata }: Fields, { notes, own }: Own): void {
  if (user != null && notes.allows("user", "user")) own["user"] = String(user);
  const isSaid = isJsonObject(metadata) ? Object.keys(metadata).length > 0 : metadata != null;
  if (isSaid) notes.allows("metadata", "metadata");
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

function isEffort(value: unknown): value is (typeof EFFORTS)[number] {
  return EFFORTS.some((effort) => effort === value);
}
