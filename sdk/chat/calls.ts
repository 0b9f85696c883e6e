import { isJsonObject } from "@svc/tools/json";
import type { LoopToolCall } from "../loop/mod.ts";
import type {
  AssistantMessage,
  ChatCompletionChunk,
  ToolCall,
  ToolCallFunction,
} from "../protocol/mod.ts";
import { argumentsText, distinctIds } from "../run/call_parts.ts";
import type { ChatShapes, ChatTurn } from "./shapes.ts";

/**
 * Returns a message whose calls can be answered and sent back: their ids differ, their arguments
 * are text.
 */
export function answerable(message: AssistantMessage): AssistantMessage {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const ids = distinctIds(calls.map(({ id }) => id));
  const older = message["function_call"];
  return {
    ...message,
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call, at) => ({ ...withText(call), id: ids[at] ?? "" })) }),
    ...(isJsonObject(older) ? { function_call: textIn(older) } : {}),
  };
}

/**
 * Returns a chunk that can be iterated: with a list of choices, and the pieces of arguments as
 * text.
 */
export function readableChunk(chunk: ChatCompletionChunk): ChatCompletionChunk {
  const { choices } = chunk;
  if (!Array.isArray(choices)) return { ...chunk, choices: [] };
  if (!choices.some(({ delta }) => calledIn(delta).some(isOdd))) return chunk;
  return {
    ...chunk,
    choices: choices.map((choice) => {
      const { delta } = choice;
      const older = delta?.["function_call"];
      return {
        ...choice,
        delta: {
          ...delta,
          ...(delta?.tool_calls ? { tool_calls: delta.tool_calls.map(withText) } : {}),
          ...(isJsonObject(older) ? { function_call: textIn(older) } : {}),
        },
      };
    }),
  };
}

/**
 * Returns the calls of the first choice. A call of the older `function_call` is the only one,
 * without an id.
 */
export function callsOf({ choices }: ChatTurn): LoopToolCall<ChatShapes>[] {
  const message = choices[0]?.message;
  const older = message?.["function_call"];
  const calls = message?.tool_calls ?? [];
  const isOlder = calls.length === 0 && isJsonObject(older);
  const raws: readonly ToolCall[] = isOlder
    ? [{ id: "", type: "function", function: older as unknown as ToolCallFunction }]
    : calls;
  return raws.map((raw) => {
    // The call of a custom tool names no function: no tool runs it, and the model reads that.
    const { name, arguments: text } = raw.function ?? {};
    return { id: raw.id, name: name ?? "", arguments: text ?? "", raw };
  });
}

function calledIn(delta: ChatCompletionChunk["choices"][number]["delta"] | null): unknown[] {
  if (delta === undefined || delta === null) return [];
  const { tool_calls: calls, function_call: older } = delta;
  return [...(calls ?? []).map((call) => call.function), older];
}

/** True for arguments that are present and no text. */
function isOdd(called: unknown): boolean {
  const text = isJsonObject(called) ? called["arguments"] ?? "" : "";
  return typeof text !== "string";
}

function withText<Call extends { function?: object }>(call: Call): Call {
  return isJsonObject(call.function) ? { ...call, function: textIn(call.function) } : call;
}

function textIn<Called extends object>(called: Called): Called & { arguments: string } {
  const { arguments: written } = called as { arguments?: unknown };
  return { ...called, arguments: argumentsText(written) };
}
