import type { WithoutModel, WithRequestId } from "../call.ts";
import type { LoopShapes } from "../loop/mod.ts";
import type {
  ResponseCustomToolCall,
  ResponseExtensionEvent,
  ResponseFunctionCall,
  ResponseResource,
  ResponsesRequest,
  ResponseStreamEvent,
} from "../protocol/mod.ts";

/**
 * A request for a response as applications write it: `model` may be left out, and is then `auto`.
 *
 * @example
 * ```ts
 * import type { ResponseCreateRequest } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const request: ResponseCreateRequest = {
 *   input: "Hello",
 *   instructions: "Answer in one sentence.",
 * };
 * assertEquals(request.model, undefined);
 * ```
 */
export type ResponseCreateRequest = WithoutModel<ResponsesRequest>;

/**
 * One response, with its text and the id of its request.
 *
 * @example
 * ```ts
 * import type { ResponseTurn } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const told = ({ status, outputText }: Pick<ResponseTurn, "status" | "outputText">) =>
 *   status === "completed" ? outputText : `${outputText} (${status})`;
 * assertEquals(
 *   told({ status: "incomplete", outputText: "Because of" }),
 *   "Because of (incomplete)",
 * );
 * ```
 */
export type ResponseTurn = WithRequestId<ResponseResource> & OutputText;

/**
 * The text of a response, by both of its names.
 *
 * @example
 * ```ts
 * import type { OutputText } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * // A response is one, and so is what a run came to.
 * const shown = ({ output_text }: OutputText) => output_text || "no text";
 * assertEquals(shown({ output_text: "", outputText: "" }), "no text");
 * ```
 */
export interface OutputText {
  /** All `output_text` of its messages, joined; empty where there is none. */
  readonly output_text: string;
  /** The same. */
  readonly outputText: string;
}

/**
 * An event of a streamed response. The `delta` of `response.output_text.delta` is the next piece of
 * text. Events that are not modelled here come through as well.
 *
 * @example
 * ```ts
 * import type { ResponseEvent } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const textOf = (event: ResponseEvent) =>
 *   event.type === "response.output_text.delta" ? event.delta : "";
 * assertEquals(textOf({ type: "svc:orchestration.task.started", sequence_number: 3 }), "");
 * ```
 */
export type ResponseEvent = ResponseStreamEvent | ResponseExtensionEvent;

/**
 * Responses, as the loop sees them.
 *
 * @example
 * ```ts
 * import type { ResponseShapes } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const nameOf = ({ type, name }: ResponseShapes["call"]) => `${type} ${name}`;
 * const call = {
 *   type: "custom_tool_call",
 *   id: "1",
 *   call_id: "1",
 *   name: "sql",
 *   input: "",
 * } as const;
 * assertEquals(nameOf(call), "custom_tool_call sql");
 * ```
 */
export interface ResponseShapes extends LoopShapes {
  /** The request, its input grown by each turn. */
  conversation: ResponseCreateRequest;
  /** A response. */
  turn: ResponseTurn;
  /** A `function_call` or `custom_tool_call` item of its output. */
  call: ResponseFunctionCall | ResponseCustomToolCall;
  /** An event of a stream. */
  chunk: ResponseEvent;
}
