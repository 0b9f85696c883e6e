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
 */
export type ResponseCreateRequest = WithoutModel<ResponsesRequest>;

/** One response, with its text and the id of its request. */
export type ResponseTurn = WithRequestId<ResponseResource> & OutputText;

/** The text of a response, by both of its names. */
export interface OutputText {
  /** All `output_text` of its messages, joined; empty where there is none. */
  readonly output_text: string;
  /** The same. */
  readonly outputText: string;
}

/**
 * An event of a streamed response. The `delta` of `response.output_text.delta` is the next piece of
 * text. Events that are not modelled here come through as well.
 */
export type ResponseEvent = ResponseStreamEvent | ResponseExtensionEvent;

/** Responses, as the loop sees them. */
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
