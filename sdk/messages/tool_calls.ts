import { isJsonObject } from "@svc/tools/json";
import type {
  ToolCall,
  ToolCallFunction,
  ToolUseBlock,
  ToolUseBlockParam,
} from "../protocol/mod.ts";
import { chatName } from "./tool_names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A tool call of Chat as a block. What its provider wrote on it stands on the block, untouched. */
export function toolUseBlock(call: ToolCall, nameOf: (name: string) => string): ToolUseBlock {
  const { id, type: _, index: _position, function: named, custom, ...signed } = call;
  const { name, arguments: text = "{}", ...more } = named ?? functionOf(custom);
  const input = inputOf(text);
  return {
    ...signed,
    type: "tool_use",
    id,
    name: nameOf(typeof name === "string" ? name : ""),
    input: input ?? {},
    caller: { type: "direct" },
    ...(JSON.stringify(input) === text ? {} : { arguments: text }),
    ...(Object.keys(more).length === 0 ? {} : { function: more }),
  };
}

/** The call of a custom tool, which no request of Messages declares, as that of a function. */
function functionOf(custom: unknown): Partial<ToolCallFunction> {
  const { name, input }: Fields = Object(custom);
  return typeof name === "string" ? { name, arguments: JSON.stringify({ input }) } : {};
}

/** The block as a tool call of Chat: the same one, where Chat wrote it. */
export function toolCall(block: ToolUseBlockParam): ToolCall {
  const { type: _, id, name, input: _input, arguments: _text, caller, function: more, ...signed } =
    block;
  return {
    ...signed,
    ...(isByModel(caller) ? {} : { caller }),
    id,
    type: "function",
    function: { ...Object(more), name: chatName(name), arguments: argumentsOf(block) },
  };
}

/** The input as JSON text: as the model wrote it, unless somebody has changed the input since. */
export function argumentsOf({ input, arguments: written }: ToolUseBlockParam): string {
  const text = JSON.stringify(input ?? {});
  if (typeof written !== "string") return text;
  return JSON.stringify(inputOf(written) ?? {}) === text ? written : text;
}

/** An input is an object; what a model wrote instead goes by its text alone. */
function inputOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Chat knows no other caller, and an answer's blocks all say so. */
function isByModel(caller: unknown): boolean {
  return caller === undefined || caller === null || Object(caller).type === "direct";
}
