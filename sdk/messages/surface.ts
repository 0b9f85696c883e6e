import type { Tool, ToolImage } from "@svc/tools";
import { withModel } from "../call.ts";
import { ConfigurationError } from "../errors.ts";
import type {
  ImageBlockParam,
  MessageParam,
  MessagesCustomTool,
  MessagesServerTool,
  ToolResultBlockParam,
} from "../protocol/mod.ts";
import { combined } from "../run/combined.ts";
import { declares, type Surface } from "../run/surface.ts";
import type { HostedToolName } from "../toolbox/selection.ts";
import type { MessagesShapes, MessageTurn } from "./shapes.ts";
import { MessagesTurns } from "./turns.ts";

/** The conversation in the result of a run of Messages. */
export interface MessagesHistory {
  /** Every message so far, to be sent again unchanged. */
  readonly messages: MessageParam[];
}

/** Messages. */
export const messagesSurface: Surface<MessagesShapes, MessagesHistory> = {
  model: (transport, options) => new MessagesTurns(transport, options),

  begin(request) {
    if (!Array.isArray(request.messages)) {
      throw new ConfigurationError("Cannot send a Messages request without messages: pass a list");
    }
    return withModel(request);
  },

  hasOwnTools: ({ tools }) => tools !== undefined && tools !== null,

  withTools: (request, { functions, hosted }) => ({
    ...request,
    tools: [...functions.map(declaration), ...hosted.map((name) => HOSTED[name])],
  }),

  withAssistantTurn: (request, turn) => ({
    ...request,
    messages: [...request.messages, assistantMessage(turn)],
  }),

  withToolResults: (request, results) => ({
    ...request,
    messages: [...request.messages, {
      role: "user",
      content: results.map(({ call, images, isError, text }): ToolResultBlockParam => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: images === undefined ? text : [{ type: "text", text }, ...images.map(imageBlock)],
        ...(isError ? { is_error: true } : {}),
      })),
    }],
  }),

  withAutoToolChoice(request) {
    const { tool_choice: choice } = request;
    if (choice?.type !== "any" && choice?.type !== "tool") return request;
    const { name: _, ...rest } = choice;
    return { ...request, tool_choice: { ...rest, type: "auto" } };
  },

  mayCallTools: ({ tools, tool_choice }) =>
    tool_choice?.type !== "none" && declares(tools, [undefined, null, "custom"]),

  history: ({ messages }) => ({ messages }),

  about: ({ metadata, requestId }) => ({ billing: metadata?.billing, requestId }),

  combined,
};

const HOSTED: Readonly<Record<HostedToolName, MessagesServerTool>> = {
  web_search_preview: { type: "web_search_20250305", name: "web_search" },
};

/** Fields of a whole answer that its provider expects back. */
const ECHOED = ["extra_content", "reasoning_details"] as const;

function assistantMessage(turn: MessageTurn): MessageParam {
  const echoed = ECHOED.filter((field) => turn[field] !== undefined);
  return {
    role: "assistant",
    content: turn.content,
    ...Object.fromEntries(echoed.map((field) => [field, turn[field]])),
  };
}

function imageBlock({ data, mediaType: media_type }: ToolImage): ImageBlockParam {
  return { type: "image", source: { type: "base64", media_type, data } };
}

function declaration({ name, description, parameters }: Tool): MessagesCustomTool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: parameters,
  };
}
