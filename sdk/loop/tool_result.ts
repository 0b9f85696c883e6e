import { ToolContent, type ToolImage } from "@svc/tools/tool";
import type { LoopToolCall } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";

/** Code of a tool call without a proper result. A tool's own `ToolError` may add codes. */
export type ToolErrorCode =
  | "tool_handler_not_found"
  | "invalid_tool_arguments"
  | "invalid_tool_result"
  | "too_many_tool_calls"
  | "tool_failed"
  | "tool_timeout"
  | "tool_aborted";

/** The result of one tool call. */
export interface ToolResult<S extends LoopShapes> {
  /** The call. */
  readonly call: LoopToolCall<S>;
  /** True: `text` is `{"error": {"code", "message"}}`, written by the loop. */
  readonly isError: boolean;
  /** The text that the model reads, within the limit on its length. */
  readonly text: string;
  /** True: `text` is the beginning of the result, with a label at its end that says so. */
  readonly isCut: boolean;
  /** Images that the model sees in the message after the results; absent when there are none. */
  readonly images?: readonly ToolImage[];
  /** The complete value that the tool returned, or the error object. */
  readonly output: unknown;
  /**
   * The value that the tool threw, for the application's log. The model never sees it, and it is
   * not enumerable: JSON of the result does not contain it.
   */
  readonly cause?: unknown;
}

/** Returns an error result that the model can act on. */
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
 * Returns the result for a tool's value: text unchanged, with its images, except for lone surrogates, for which some
 * providers refuse the whole request; everything else as JSON. Bytes are refused: as JSON each
 * takes some five characters, and the model would pay for data it cannot read.
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
    whole = typeof output === "string" || output instanceof ToolContent
      ? String(output).toWellFormed()
      : JSON.stringify(output ?? null) ?? "null";
  } catch (cause) {
    const message = "The tool returned a value that JSON cannot carry";
    return errorResult(call, { code: "invalid_tool_result", message, cause });
  }
  const text = cutText(whole, maxChars);
  const images = output instanceof ToolContent ? output.images : [];
  const shown = images.length === 0 ? {} : { images };
  return { call, isError: false, text, isCut: text !== whole, output, ...shown };
}

/**
 * Returns a text within the limit unchanged; else its beginning, with a label that counts the
 * missing characters.
 */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A lone surrogate is no character: some providers refuse the whole request for it.
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1));
  const beginning = text.slice(0, splitsPair ? maxChars - 1 : maxChars);
  return `${beginning}\n[Cut: these are the first ${beginning.length} of ${text.length} characters]`;
}
