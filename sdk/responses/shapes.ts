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

/** A request for a response of an application: `model` is optional and then `auto`. */
export type ResponseCreateRequest = WithoutModel<ResponsesRequest>;

/** One response, with its text and the id of its request. */
export type ResponseTurn = WithRequestId<ResponseResource> & OutputText;

/** The text of a response, under both of its names. */
export interface OutputText {
  /** The `output_text` of all messages, joined; empty when there is none. */
  readonly output_text: string;
  /** The same text. */
  readonly outputText: string;
}

/**
 * An event of a streamed response. The `delta` of `response.output_text.delta` is the next piece of
 * text. Events of unknown types pass through.
 */
export type ResponseEvent = ResponseStreamEvent | ResponseExtensionEvent;

/** Responses in the terms of the loop. */
export interface ResponseShapes extends LoopShapes {
  /** The request, whose input grows by each turn. */
  conversation: ResponseCreateRequest;
  /** A response. */
  turn: ResponseTurn;
  /** A `function_call` or `custom_tool_call` item of its output. */
  call: ResponseFunctionCall | ResponseCustomToolCall;
  /** An event of a stream. */
  chunk: ResponseEvent;
}
