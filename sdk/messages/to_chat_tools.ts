import { ConfigurationError } from "../errors.ts";
import type {
  ChatTool,
  ChatToolChoice,
  MessagesCustomTool,
  MessagesTool,
  MessagesToolChoice,
} from "../protocol/mod.ts";
import { chatName } from "./tool_names.ts";

/** Anthropic's hosted search, in any version. */
const WEB_SEARCH = /^web_search_\d{8}$/;
/** Hosted tools, by Chat's names. */
const HOSTED: readonly string[] = ["web_search_preview", "file_search"];

/** Converts declarations of tools. Throws a `ConfigurationError` when one cannot be converted. */
export function chatTools(tools: readonly MessagesTool[]): ChatTool[] {
  if (Array.isArray(tools) && tools.every((tool) => tool === Object(tool))) {
    return tools.map(chatTool);
  }
  throw new ConfigurationError("Cannot declare tools that are no list of tools: pass a list");
}

/** Converts a declaration; further fields are kept. */
function chatTool(tool: MessagesTool): ChatTool {
  if (isCustom(tool)) return functionTool(tool);
  const { type } = tool;
  if (HOSTED.includes(type)) return tool;
  if (!WEB_SEARCH.test(type)) {
    throw new ConfigurationError(
      `Cannot declare a tool of the type "${type}": give an input_schema and run it yourself, ` +
        'or declare "web_search_20250305"',
    );
  }
  const { name: _, allowed_domains, ...rest } = tool;
  const isBound = Array.isArray(allowed_domains) && allowed_domains.length > 0;
  return {
    ...rest,
    type: "web_search_preview",
    ...(isBound ? { filters: { allowed_domains } } : {}),
  };
}

/** Converts a tool choice: the tools to call, and how many at a time. */
export function chatToolChoice(
  choice: MessagesToolChoice,
  tools: readonly MessagesTool[] | null | undefined,
): { tool_choice: ChatToolChoice; parallel_tool_calls?: boolean } {
  return {
    tool_choice: choiceOf(choice, tools ?? []),
    ...(choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
  };
}

function choiceOf(
  { type, name }: MessagesToolChoice,
  tools: readonly MessagesTool[],
): ChatToolChoice {
  switch (type) {
    case "auto":
    case "none":
      return type;
    case "any":
      return "required";
    case "tool": {
      if (typeof name !== "string") {
        throw new ConfigurationError('Cannot send a tool_choice of the type "tool" without a name');
      }
      const named = tools.find((tool) => tool.name === name);
      return named === undefined || isCustom(named)
        ? { type: "function", function: { name: chatName(name) } }
        : { type: chatTool(named).type };
    }
    default:
      throw new ConfigurationError(
        `Cannot send a tool_choice of the type "${type}": there are auto, any, tool and none`,
      );
  }
}

function functionTool(tool: MessagesCustomTool): ChatTool {
  const { type: _, name, description, input_schema: parameters, strict, ...rest } = tool;
  if (typeof name !== "string") {
    throw new ConfigurationError("Cannot declare a tool without a name: give one");
  }
  return {
    ...rest,
    type: "function",
    function: {
      name: chatName(name),
      ...(description === undefined ? {} : { description }),
      parameters,
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

function isCustom(tool: MessagesTool): tool is MessagesCustomTool {
  return tool.type === undefined || tool.type === null || tool.type === "custom";
}
