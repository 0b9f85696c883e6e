import type { LoopToolCall } from "../loop/mod.ts";
import type { ResponseCustomToolCall, ResponseOutputItem } from "../protocol/mod.ts";
import { argumentsText, distinctIds } from "../run/call_parts.ts";
import type { ResponseShapes, ResponseTurn } from "./shapes.ts";

type Call = ResponseShapes["call"];
/** An item of an output, including those that only requests with custom tools receive. */
type Item = ResponseOutputItem | ResponseCustomToolCall;

/** True for a call that this side has to answer. */
export function isCall(item: Item | undefined): item is Call {
  return item?.type === "function_call" || item?.type === "custom_tool_call";
}

/**
 * Returns an output whose calls can be answered and sent back: their ids differ, their arguments
 * are text.
 */
export function answerable(output: readonly ResponseOutputItem[]): ResponseOutputItem[] {
  const items: readonly Item[] = output;
  const ids = distinctIds(items.filter(isCall).map(({ call_id, id }) => call_id || id)).values();
  return output.map((item) => {
    if (!isCall(item)) return item;
    const call_id = ids.next().value ?? "";
    const isFunction = item.type === "function_call";
    return {
      ...item,
      call_id,
      ...(isFunction ? { arguments: argumentsText(item.arguments) } : {}),
    };
  });
}

/**
 * Returns the calls of a turn in the loop's shape. The text input of a custom tool becomes JSON as
 * well: a handler of its name receives a string.
 */
export function callsOf({ output, status }: ResponseTurn): LoopToolCall<ResponseShapes>[] {
  const items: readonly Item[] = output;
  return items.filter(isCall).map((raw) => {
    const isCut = (raw["status"] ?? status) === "incomplete";
    const { call_id: id, name } = raw;
    return { id, name: typeof name === "string" ? name : "", arguments: textOf(raw, isCut), raw };
  });
}

/**
 * Returns the input as JSON text. A cut input does not parse, so that it cannot pass for a complete
 * one.
 */
function textOf(call: Call, isCut: boolean): string {
  if (call.type === "custom_tool_call") {
    const text = JSON.stringify(call.input ?? "");
    return isCut ? text.slice(0, -1) : text;
  }
  return call.arguments === "" && isCut ? "{" : call.arguments;
}
