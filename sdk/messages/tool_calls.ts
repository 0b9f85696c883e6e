import { isJsonObject } from "@svc/tools/json";
import type {
  ToolCall,
  ToolCallFunction,
  ToolUseBlock,
  ToolUseBlockParam,
} from "../protocol/mod.ts";
import { chatName } from "./tool_names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Converts a tool call of Chat to a block. Opaque fields of its provider are kept unchanged. */
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

/**
 * Converts the call of a custom tool, which no request of Messages declares, to that of a function.
 */
function functionOf(custom: unknown): Partial<ToolCallFunction> {
  const { name, input }: Fields = Object(custom);
  return typeof name === "string" ? { name, arguments: JSON.stringify({ input }) } : {};
}

/** Converts a block back to a tool call of Chat; the result equals the call that it came from. */
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

/**
 * Returns the input as JSON text: the model's own text unless the application has changed the input
 * since.
 */
export function argumentsOf({ input, arguments: written }: ToolUseBlockParam): string {
  const text = JSON.stringify(input ?? {});
  if (typeof written !== "string") return text;
  return JSON.stringify(inputOf(written) ?? {}) === text ? written : text;
}

/**
 * Parses an input, which must be an object; `undefined` leaves the model's text as the only form.
 */
function inputOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * True for a call by the model: Chat knows no other caller, and every block of an answer has this
 * one.
 */
function isByModel(caller: unknown): boolean {
  return caller === undefined || caller === null || Object(caller).type === "direct";
}
