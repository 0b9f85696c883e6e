import type { LoopToolCall } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";

/** Why a tool call has no proper result. A tool's own `ToolError` may add codes of its own. */
export type ToolErrorCode =
  | "tool_handler_not_found"
  | "invalid_tool_arguments"
  | "invalid_tool_result"
  | "too_many_tool_calls"
  | "tool_failed"
  | "tool_timeout"
  | "tool_aborted";

/** What came of one tool call. */
export interface ToolResult<S extends LoopShapes> {
  /** The call it answers. */
  readonly call: LoopToolCall<S>;
  /** True: `text` is `{"error": {"code", "message"}}`, written by the loop. */
  readonly isError: boolean;
  /** What the model reads, within the limit on its length. */
  readonly text: string;
  /** True: `text` is the beginning of the result, with a label at its end that says so. */
  readonly isCut: boolean;
  /** What the tool returned, whole; the error object where there is an error. */
  readonly output: unknown;
  /**
   * What the tool threw, for the application's log. The model never sees it, and, as that of an
   * error, it is not written where the result is written as JSON.
   */
  readonly cause?: unknown;
}

/** An error result that the model can act on. */
export function errorResult<S extends LoopShapes>(
  call: LoopToolCall<S>,
  error: { readonly code: string; readonly message: string; readonly cause?: unknown },
): ToolResult<S> {
  const output = { error: { code: error.code, message: error.message } };
  const result = { call, isError: true, text: JSON.stringify(output), isCut: false, output };
  // Not enumerable: it may hold what is no JSON, or a secret.
  return "cause" in error ? Object.defineProperty(result, "cause", { value: error.cause }) : result;
}

/**
 * The result for what a tool returned: text as it is, but for halves of characters, which some
 * providers refuse the whole request for; everything else as JSON. Bytes are refused: as JSON each
 * takes some five characters, and the model would pay for what it cannot read.
 */
export function successResult<S extends LoopShapes>(
  call: LoopToolCall<S>,
  output: unknown,
  { maxChars }: { readonly maxChars: number },
): ToolResult<S> {
  if (ArrayBuffer.isView(output) || output instanceof ArrayBuffer) {
    const message = "The tool returned bytes, which are no text";
    return errorResult(call, { code: "invalid_tool_result", message });
  }
  let whole: string;
  try {
    whole = typeof output === "string"
      ? output.toWellFormed()
      : JSON.stringify(output ?? null) ?? "null";
  } catch (cause) {
    const message = "The tool returned a value that JSON cannot carry";
    return errorResult(call, { code: "invalid_tool_result", message, cause });
  }
  const text = cutText(whole, maxChars);
  return { call, isError: false, text, isCut: text !== whole, output };
}

/** A text within the limit as it is; else its beginning, and a label that counts what is missing. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Half of a surrogate pair is no character: some providers refuse the whole request for it.
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1));
  const kept = text.slice(0, splitsPair ? maxChars - 1 : maxChars);
  return `${kept}\n[Cut: these are the first ${kept.length} of ${text.length} characters]`;
}
