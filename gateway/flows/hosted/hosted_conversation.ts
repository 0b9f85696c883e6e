/**
 * A conversation with hosted tools for models that have none: a chat request in which the tools are
 * functions.
 *
 * @module
 */

import type { ConversationPort } from "@svc/sdk/loop";
import type { ChatRequest, ChatTool } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import { hostedToolOf, type HostedToolType } from "../../domain/requests/hosted_tool_types.ts";
import { invariant } from "../../domain/invariant.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { HostedNames } from "../../wire/hosted/relay.ts";
import { recordOf } from "../../wire/json/parse.ts";
import { editMembers, elements, members } from "../../wire/json/text.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import type { Piece } from "../stream/answer_stream.ts";

/** The shapes of the loop that the gateway drives: JSON texts, so that signatures keep their bytes. */
export interface HostedShapes {
  /** A chat request. */
  conversation: ChatBody;
  /** An assistant message. */
  turn: string;
  /** A tool call as JSON text, as in its message. */
  call: string;
  /** Events for the caller. */
  chunk: Piece["text"];
}

/** Returns a validated body with the type of a chat request. */
export function chatBodyOf({ text, value }: JsonBody): ChatBody {
  return { text, value: value as unknown as ChatRequest };
}

const DESCRIPTIONS: Readonly<Record<HostedToolType, string>> = {
  web_search_preview:
    "Searches the web. Answers with numbered sources; cite those that the answer " +
    "uses by their number in square brackets, for instance [1].",
  file_search: "Searches the files that belong to this conversation. Answers with numbered " +
    "passages; cite those that the answer uses by their number in square brackets, for instance [1].",
};

/** Names of the tools for models, unless a function of the caller has the name. */
const NAMES: Readonly<Record<HostedToolType, string>> = {
  web_search_preview: "web_search",
  file_search: "file_search",
};

/** Returns names for the hosted tools of a request that none of its functions has. */
export function hostedNames(tools: readonly ChatTool[]): HostedNames {
  const usedNames = new Set(tools.map((tool) => Object(tool[tool.type])["name"]));
  const names: Partial<Record<HostedToolType, string>> = {};
  for (const tool of tools) {
    const type = hostedToolOf(tool.type);
    if (type === undefined) continue;
    let name = NAMES[type];
    while (usedNames.has(name)) name = `hosted_${name}`;
    names[type] = name;
  }
  return names;
}

/** The layout of the caller's own request. */
export interface WrittenRequest {
  /** Path of the tools in a choice among some. @default {"tool_choice.tools"} */
  readonly allowedPath?: string;
}

/** Returns the request with functions instead of hosted tools, streamed. */
export function hostedConversation(
  body: ChatBody,
  names: HostedNames,
  { allowedPath = "tool_choice.tools" }: WrittenRequest = {},
): ChatBody {
  const written = arrayTexts(body.text, "tools");
  const tools = (body.value.tools ?? []).map((tool, at) => {
    const type = hostedToolOf(tool.type);
    return type === undefined ? written[at] : JSON.stringify(declaration(type, names));
  });
  const choice = hostedChoice(body.value, { names, allowedPath });
  return edited(body, {
    tools: `[${tools.join(",")}]`,
    stream: "true",
    ...(choice === undefined ? {} : { tool_choice: choice }),
  });
}

function declaration(type: HostedToolType, names: HostedNames): ChatTool {
  const name = names[type];
  invariant(name !== undefined, `Cannot declare ${type} without a name`);
  return {
    type: "function",
    function: {
      name,
      description: DESCRIPTIONS[type],
      parameters: {
        type: "object",
        properties: { query: { type: "string", description: "What to search for" } },
        required: ["query"],
        additionalProperties: false,
      },
    },
  };
}

/**
 * Returns the tool choice with functions instead of hosted tools; `undefined` if it does not
 * change.
 */
function hostedChoice(
  { tool_choice: choice }: ChatRequest,
  { names, allowedPath }: { readonly names: HostedNames; readonly allowedPath: string },
): string | undefined {
  if (typeof choice !== "object" || choice === null) return undefined;
  const chosen = chosenFunction(choice, names, "tool_choice");
  if (chosen !== undefined) return JSON.stringify(chosen);
  if (choice.type !== "allowed_tools") return undefined;
  const { tools, ...rest } = Object(choice["allowed_tools"]);
  if (!Array.isArray(tools)) return undefined;
  const allowed = tools.map((tool, at) =>
    chosenFunction(Object(tool), names, `${allowedPath}.${at}`) ?? tool
  );
  return JSON.stringify({ ...choice, allowed_tools: { ...rest, tools: allowed } });
}

/** Returns the function of a chosen hosted tool; `undefined` for another tool. */
function chosenFunction(
  { type }: { readonly type?: unknown },
  names: HostedNames,
  param: string,
): { type: "function"; function: { name: string } } | undefined {
  const hosted = typeof type === "string" ? hostedToolOf(type) : undefined;
  if (hosted === undefined) return undefined;
  const name = names[hosted];
  if (name !== undefined) return { type: "function", function: { name } };
  throw new ServiceFault("invalid_request", {
    message: `Declare "${type}" among the tools: it cannot be chosen otherwise`,
    param,
  });
}

/** Returns the conversation with tool calls forbidden. */
export function withoutTools(conversation: ChatBody): ChatBody {
  if (conversation.value.tool_choice === "none") return conversation;
  return { ...edited(conversation, { tool_choice: '"none"' }), isOwnChoice: true };
}

const OUTPUT_LIMITS = ["max_completion_tokens", "max_tokens"] as const;

/** Returns the maximum tokens of output that the caller allows: the smaller of two limits. */
export function outputLimitOf({ value }: ChatBody): number {
  return Math.min(...OUTPUT_LIMITS.map((name) => value[name] ?? Infinity));
}

/** Returns the conversation with its output limits reduced by `tokens`. */
export function withLessOutput(conversation: ChatBody, tokens: number): ChatBody {
  const limits = OUTPUT_LIMITS.flatMap((name) => {
    const limit = conversation.value[name];
    return typeof limit === "number" ? [[name, String(limit - tokens)]] : [];
  });
  return limits.length === 0 ? conversation : edited(conversation, Object.fromEntries(limits));
}

/** Adds turns and tool results to the conversation. */
export const hostedSurface: ConversationPort<HostedShapes> = {
  withAssistantTurn: (conversation, turn) => withMessages(conversation, [turn]),
  withToolResults: (conversation, results) =>
    withMessages(
      conversation,
      results.map(({ call, text }) =>
        JSON.stringify({ role: "tool", tool_call_id: call.id, content: text })
      ),
    ),
  withAutoToolChoice: (conversation) => {
    const { tool_choice: choice } = conversation.value;
    if (choice === undefined || choice === null) return conversation;
    if (choice === "auto" || choice === "none") return conversation;
    return edited(conversation, { tool_choice: JSON.stringify(autoChoice(choice)) });
  },
};

/**
 * Returns the tool choice for later turns: a forced call becomes optional, and the set of allowed
 * tools still applies.
 */
function autoChoice(choice: ChatRequest["tool_choice"]): unknown {
  if (typeof choice !== "object" || choice?.type !== "allowed_tools") return "auto";
  return { ...choice, allowed_tools: { ...Object(choice["allowed_tools"]), mode: "auto" } };
}

/** Returns the conversation with the results of tools from message `from` on replaced by `note`. */
export function withoutResults(
  conversation: ChatBody,
  { from, note }: { readonly from: number; readonly note: string },
): ChatBody {
  const { messages } = conversation.value;
  const all = arrayTexts(conversation.text, "messages").map((text, at) =>
    at >= from && messages[at]?.role === "tool"
      ? editMembers(text, { content: JSON.stringify(note) })
      : text
  );
  return edited(conversation, { messages: `[${all.join(",")}]` });
}

function withMessages(conversation: ChatBody, messages: readonly string[]): ChatBody {
  const all = [...arrayTexts(conversation.text, "messages"), ...messages];
  return edited(conversation, { messages: `[${all.join(",")}]` });
}

function arrayTexts(text: string, name: string): readonly string[] {
  const member = members(text).findLast(({ key }) => key === name);
  if (member === undefined || text[member.valueStart] !== "[") return [];
  return elements(text, member.valueStart).map(({ start, end }) => text.slice(start, end));
}

function edited(body: ChatBody, edits: Readonly<Record<string, string>>): ChatBody {
  const text = editMembers(body.text, edits);
  return { ...body, text, value: recordOf(text) as unknown as ChatRequest };
}
