import type { Tool } from "@svc/tools";
import { withModel } from "../call.ts";
import { ConfigurationError } from "../errors.ts";
import type { ToolResult } from "../loop/mod.ts";
import type { ChatMessage, ChatTool, ChatToolChoice, ContentPart } from "../protocol/mod.ts";
import { combined } from "../run/combined.ts";
import { attachedTo, imageAddress } from "../run/attached.ts";
import { declares, type Surface } from "../run/surface.ts";
import { reportingTasks } from "../run/tasks.ts";
import type { ChatShapes } from "./shapes.ts";
import { ChatTurns } from "./turns.ts";

/** The conversation in the result of a run of Chat Completions. */
export interface ChatHistory {
  /** Every message so far, to be sent again unchanged. */
  readonly messages: ChatMessage[];
}

/** Chat Completions. */
export const chatSurface: Surface<ChatShapes, ChatHistory> = {
  model: (transport, options) => reportingTasks(new ChatTurns(transport, options), options.onTask),

  begin(request) {
    if (!Array.isArray(request.messages)) {
      throw new ConfigurationError("Cannot send a chat request without messages: pass a list");
    }
    return withModel(request);
  },

  // `functions` is the older name of `tools`.
  hasOwnTools: (request) => (request.tools ?? request["functions"] ?? undefined) !== undefined,

  withTools: (request, { functions, hosted }) => ({
    ...request,
    tools: [...functions.map(declaration), ...hosted.map((type) => ({ type }))],
  }),

  withAssistantTurn(request, turn) {
    const message = turn.choices[0]?.message;
    return message === undefined
      ? request
      : { ...request, messages: [...request.messages, message] };
  },

  withToolResults: (request, results) => ({
    ...request,
    messages: [...request.messages, ...results.map(answerOf), ...shown(results)],
  }),

  withAutoToolChoice(request) {
    const { tool_choice: choice } = request;
    const older = request["function_call"];
    const names = typeof older === "object" && older !== null;
    return {
      ...request,
      ...(choice === undefined || choice === null ? {} : { tool_choice: relaxed(choice) }),
      ...(names ? { function_call: "auto" } : {}),
    };
  },

  mayCallTools: ({ tools, tool_choice, functions, function_call }) =>
    tool_choice !== "none" && declares(tools, ["function", "custom"]) ||
    function_call !== "none" && declares(functions, [undefined]),

  history: ({ messages }) => ({ messages }),

  about: ({ metadata, requestId }) => ({ billing: metadata?.billing, requestId }),

  combined,
};

/**
 * Returns the message with a result. A call without an id is of the older kind and answered by its
 * name.
 */
function answerOf({ call, text }: ToolResult<ChatShapes>): ChatMessage {
  return call.id === ""
    ? { role: "function", name: call.name, content: text }
    : { role: "tool", tool_call_id: call.id, content: text };
}

/** Returns the images of results, in a message of the user: results are text. */
function shown(results: readonly ToolResult<ChatShapes>[]): ChatMessage[] {
  const content = results.flatMap(({ call, images = [] }): ContentPart[] =>
    images.length === 0 ? [] : [
      { type: "text", text: attachedTo(call.id) },
      ...images.map((image) => ({ type: "image_url", image_url: { url: imageAddress(image) } })),
    ]
  );
  return content.length === 0 ? [] : [{ role: "user", content }];
}

function declaration({ name, description, parameters }: Tool): ChatTool {
  return {
    type: "function",
    function: { name, ...(description === undefined ? {} : { description }), parameters },
  };
}

/** Returns a choice that no longer forces a call; a choice among some tools stays one. */
function relaxed(choice: ChatToolChoice): ChatToolChoice {
  if (choice === "none") return choice;
  if (typeof choice === "string" || choice.type !== "allowed_tools") return "auto";
  const allowed = choice["allowed_tools"];
  return { ...choice, allowed_tools: { ...Object(allowed), mode: "auto" } };
}
