import type { LoopToolCall } from "../loop/mod.ts";
import type { ResponseCustomToolCall, ResponseOutputItem } from "../protocol/mod.ts";
import type { ResponseShapes, ResponseTurn } from "./shapes.ts";

type Call = ResponseShapes["call"];
/** An item of an output, those among them that only requests with custom tools get. */
type Item = ResponseOutputItem | ResponseCustomToolCall;

/** Whether an item is a call that this side has to answer. */
export function isCall(item: Item | undefined): item is Call {
  return item?.type === "function_call" || item?.type === "custom_tool_call";
}

/** Calls that can be answered: an upstream that gives one no id gets an id for it. */
export function withCallIds(output: readonly ResponseOutputItem[]): ResponseOutputItem[] {
  return output.map((item) =>
    isCall(item) && !item.call_id
      ? { ...item, call_id: item.id || `call_${crypto.randomUUID()}` }
      : item
  );
}

/**
 * The calls of a turn as the loop knows them. The text that a custom tool is called with is JSON as
 * well: a handler of its name gets it as a string.
 */
export function callsOf({ output, status }: ResponseTurn): LoopToolCall<ResponseShapes>[] {
  const items: readonly Item[] = output;
  return items.filter(isCall).map((raw) => {
    const isCut = (raw["status"] ?? status) === "incomplete";
    const { call_id: id, name } = raw;
    return { id, name: typeof name === "string" ? name : "", arguments: textOf(raw, isCut), raw };
  });
}

/** Its input as JSON text. One that was cut does not parse: it must not pass for a whole one. */
function textOf(call: Call, isCut: boolean): string {
  if (call.type === "custom_tool_call") {
    const text = JSON.stringify(call.input ?? "");
    return isCut ? text.slice(0, -1) : text;
  }
  const text: unknown = call.arguments ?? "";
  if (typeof text !== "string") return JSON.stringify(text);
  return text === "" && isCut ? "{" : text;
}
