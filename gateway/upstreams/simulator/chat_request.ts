/**
 * Reads a Chat Completions body in one pass: question, tools, format and limits.
 *
 * Unknown fields are accepted. Fields that the answer depends on are refused with their path.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { readSimulate, type Simulate, splitDirective } from "./misbehaviour.ts";
import { type SimulatedTask, splitTask } from "./split_task.ts";
import { isRefusal, type Refusal, refuse } from "./refusal.ts";
import { countTokens } from "./text_tokens.ts";

/** A JSON object of the request. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A tool call that the caller sent back. */
export interface EchoedCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** The whole call of the request. */
  readonly wire: JsonRecord;
}

/** The calls of one assistant message. */
export interface EchoedStep {
  /** Index of the message. */
  readonly message: number;
  readonly calls: readonly EchoedCall[];
}

/** A function that may be called. */
export interface OfferedTool {
  readonly name: string;
  /** JSON Schema of its arguments. */
  readonly parameters: unknown;
  /** True when arguments must fit the schema exactly, whatever the question contains. */
  readonly strict: boolean;
}

/** The tool that must or may be called. */
export type ToolChoice = "none" | "auto" | "required" | { readonly name: string };

/** The format of the answer. */
export type AnswerFormat = { readonly kind: "text" | "object" } | {
  readonly kind: "schema";
  readonly schema: unknown;
};

/** The conversation, reduced to the facts that the answer depends on. */
export interface Conversation {
  /** All system and developer messages. */
  system: string;
  /** The last user message without its directive. */
  question: string;
  /** The task of a split request. */
  task: SimulatedTask | undefined;
  directive: string | undefined;
  /** Media types of data URIs and hosts of URLs, since the last question. */
  images: string[];
  /** Tool calls made since the last question. */
  steps: EchoedStep[];
  /** Names of the called functions, by call id. */
  called: Map<string, string>;
  /** Results of the calls. */
  results: { name: string; text: string }[];
  inputTokens: number;
  /** Hash of the model and all messages. */
  seed: number;
}

/** A request, as the simulator reads it. */
export interface SimulatedRequest extends Readonly<Conversation> {
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  readonly parallel: boolean;
  readonly format: AnswerFormat;
  readonly choices: number;
  /** Maximum number of output tokens of a choice. */
  readonly outputLimit: number;
  readonly stops: readonly string[];
  readonly simulate: Simulate;
}

const MOST_CHOICES = 128;
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_IMAGE = 85;

/** Reads a body. `outputLimit` is the limit of the call, beside the body's own. */
export function readChatRequest(
  body: JsonRecord,
  options: { model: string; outputLimit?: number | undefined },
): SimulatedRequest | Refusal {
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return refuse("messages", "Cannot answer: messages is not an array of one or more");
  }
  const conversation = readConversation(body.messages, hash(options.model, 0x811c9dc5));
  if (isRefusal(conversation)) return conversation;
  const simulate = readSimulate(body.simulate, conversation.directive);
  if (isRefusal(simulate)) return simulate;
  const tools = readTools(body.tools);
  const toolChoice = readToolChoice(body.tool_choice, tools);
  if (isRefusal(toolChoice)) return toolChoice;
  const format = readFormat(body.response_format);
  if (isRefusal(format)) return format;
  const limits = readLimits(body);
  if (isRefusal(limits)) return limits;
  conversation.inputTokens += declaredTokens(tools, body.tools) +
    declaredTokens(format.kind === "schema" ? [format] : [], body.response_format);
  return {
    ...conversation,
    tools,
    toolChoice,
    parallel: body.parallel_tool_calls !== false,
    format,
    choices: limits.choices,
    outputLimit: Math.min(limits.outputLimit, options.outputLimit ?? Infinity),
    stops: readStops(body.stop),
    simulate,
  };
}

/** Returns the FNV-1a hash of a text's UTF-16 code units, starting from `seed`. */
function hash(text: string, seed: number): number {
  let state = seed;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return state >>> 0;
}

function readConversation(messages: readonly unknown[], seed: number): Conversation | Refusal {
  const conversation: Conversation = {
    system: "",
    question: "",
    task: undefined,
    directive: undefined,
    images: [],
    steps: [],
    called: new Map(),
    results: [],
    inputTokens: TOKENS_PER_MESSAGE,
    seed,
  };
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message) || typeof message.role !== "string") {
      return refuse(`messages.${index}.role`, `Cannot read messages.${index}: it has no role`);
    }
    const content = readContent(message.content);
    conversation.inputTokens += TOKENS_PER_MESSAGE + countTokens(content.text) +
      content.images.length * TOKENS_PER_IMAGE;
    conversation.seed = hash(content.text, hash(message.role, conversation.seed));
    addMessage(conversation, { index, message, content });
  }
  return conversation;
}

interface Content {
  text: string;
  images: string[];
}

function addMessage(
  conversation: Conversation,
  { index, message, content }: { index: number; message: JsonRecord; content: Content },
): void {
  switch (message.role) {
    case "system":
    case "developer":
      conversation.system += (conversation.system === "" ? "" : "\n") + content.text;
      break;
    case "user":
      // A message with images only belongs to the question or the tool result before it.
      if (content.text !== "") ask(conversation, content.text);
      conversation.images.push(...content.images);
      break;
    case "assistant":
      echo(conversation, { message: index, calls: readCalls(message.tool_calls) });
      break;
    case "tool": {
      const id = message.tool_call_id;
      const name = typeof id === "string" ? conversation.called.get(id) : undefined;
      conversation.results.push({ name: name ?? "tool", text: content.text });
    }
  }
}

function ask(conversation: Conversation, text: string): void {
  const { text: rest, directive } = splitDirective(text);
  const { question, task } = splitTask(rest);
  conversation.question = question;
  conversation.task = task;
  conversation.directive = directive;
  conversation.images = [];
  conversation.steps = [];
  conversation.called.clear();
  conversation.results = [];
}

function echo(conversation: Conversation, step: EchoedStep): void {
  if (step.calls.length > 0) conversation.steps.push(step);
  for (const { id, name, args } of step.calls) {
    if (!conversation.called.has(id)) conversation.called.set(id, name);
    conversation.inputTokens += TOKENS_PER_MESSAGE + countTokens(name) + countTokens(args);
    conversation.seed = hash(args, hash(name, hash(id, conversation.seed)));
  }
}

function readContent(content: unknown): Content {
  if (typeof content === "string") return { text: content, images: [] };
  const read: Content = { text: "", images: [] };
  if (!Array.isArray(content)) return read;
  for (const part of content) {
    if (!isJsonObject(part)) continue;
    if (typeof part.text === "string") read.text += (read.text === "" ? "" : "\n") + part.text;
    if (isJsonObject(part.image_url) && typeof part.image_url.url === "string") {
      read.images.push(describeImage(part.image_url.url));
    }
  }
  return read;
}

const LONGEST_MEDIA_TYPE = 80;

function describeImage(url: string): string {
  if (!url.startsWith("data:")) return URL.parse(url)?.host || "unreadable address";
  const mediaType = /^[^;,]*/.exec(url.slice("data:".length, LONGEST_MEDIA_TYPE));
  return mediaType?.[0] || "text/plain";
}

function readCalls(calls: unknown): EchoedCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isJsonObject).map((wire) => {
    const called = isJsonObject(wire.function) ? wire.function : {};
    return {
      id: typeof wire.id === "string" ? wire.id : "",
      name: typeof called.name === "string" ? called.name : "",
      args: typeof called.arguments === "string" ? called.arguments : "",
      wire,
    };
  });
}

function readTools(tools: unknown): OfferedTool[] {
  if (!Array.isArray(tools)) return [];
  const offered: OfferedTool[] = [];
  for (const tool of tools) {
    if (!isJsonObject(tool) || tool.type !== "function" || !isJsonObject(tool.function)) continue;
    const { name, parameters, strict } = tool.function;
    if (typeof name !== "string") continue;
    offered.push({ name, parameters: parameters ?? {}, strict: strict === true });
  }
  return offered;
}

function readToolChoice(choice: unknown, tools: readonly OfferedTool[]): ToolChoice | Refusal {
  if (choice === "none") return choice;
  if (choice === "required") {
    if (tools.length > 0) return choice;
    return refuse("tool_choice", "Cannot require a tool call: no function is offered");
  }
  if (!isJsonObject(choice) || !isJsonObject(choice.function)) return "auto";
  const name = choice.function.name;
  if (typeof name === "string" && tools.some((tool) => tool.name === name)) return { name };
  return refuse(
    "tool_choice",
    `Cannot call the function ${JSON.stringify(name)}: it is not offered`,
  );
}

function readFormat(format: unknown): AnswerFormat | Refusal {
  if (!isJsonObject(format)) return { kind: "text" };
  if (format.type === "json_object") return { kind: "object" };
  if (format.type !== "json_schema") return { kind: "text" };
  if (isJsonObject(format.json_schema)) {
    return { kind: "schema", schema: format.json_schema.schema ?? { type: "object" } };
  }
  return refuse("response_format.json_schema", "Cannot follow a schema: json_schema is missing");
}

function readLimits(body: JsonRecord): { choices: number; outputLimit: number } | Refusal {
  const choices = readCount(body, "n", MOST_CHOICES);
  if (isRefusal(choices)) return choices;
  const limit = readCount(body, "max_completion_tokens", Number.MAX_SAFE_INTEGER);
  if (isRefusal(limit)) return limit;
  const older = readCount(body, "max_tokens", Number.MAX_SAFE_INTEGER);
  if (isRefusal(older)) return older;
  return { choices: choices ?? 1, outputLimit: limit ?? older ?? Infinity };
}

function readCount(body: JsonRecord, field: string, most: number): number | undefined | Refusal {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most) {
    return value;
  }
  const shown = JSON.stringify(value);
  return refuse(
    field,
    `Cannot answer with ${field} ${shown}: it is not an integer of 1 to ${most}`,
  );
}

function readStops(stop: unknown): string[] {
  const stops = Array.isArray(stop) ? stop : [stop];
  return stops.filter((text): text is string => typeof text === "string" && text !== "");
}

function declaredTokens(declared: readonly unknown[], wire: unknown): number {
  return declared.length === 0 ? 0 : countTokens(JSON.stringify(wire));
}
