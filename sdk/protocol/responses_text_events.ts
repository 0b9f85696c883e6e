/**
 * The events of a streamed response that fill its parts, piece by piece.
 *
 * @module
 */

import type {
  ResponseItemEvent,
  ResponsePartEvent,
  ResponseSummaryEvent,
} from "./responses_event_base.ts";
import type { ResponseAnnotation, ResponseLogprob, SummaryTextPart } from "./responses_parts.ts";

/** More text. */
export interface ResponseTextDeltaEvent extends ResponsePartEvent<"response.output_text.delta"> {
  /** The next piece. */
  delta: string;
  /** Of its tokens; empty where they were not asked for. */
  logprobs: ResponseLogprob[];
}

/** The end of a text. */
export interface ResponseTextDoneEvent extends ResponsePartEvent<"response.output_text.done"> {
  /** The complete value. */
  text: string;
  /** Of its tokens; empty where they were not asked for. */
  logprobs: ResponseLogprob[];
}

/** The text cites a source. */
export interface ResponseAnnotationEvent
  extends ResponsePartEvent<"response.output_text.annotation.added"> {
  /** The annotation's place in its part, from 0. */
  annotation_index: number;
  /** The source. */
  annotation: ResponseAnnotation;
}

/** More of a refusal or of reasoning. */
export interface ResponsePartDeltaEvent<
  Type extends string = "response.refusal.delta" | "response.reasoning_text.delta",
> extends ResponsePartEvent<Type> {
  /** The next piece. */
  delta: string;
}

/** The end of a refusal. */
export interface ResponseRefusalDoneEvent extends ResponsePartEvent<"response.refusal.done"> {
  /** The complete value. */
  refusal: string;
}

/** The end of the reasoning. */
export interface ResponseReasoningDoneEvent
  extends ResponsePartEvent<"response.reasoning_text.done"> {
  /** The complete value. */
  text: string;
}

/** A part of a summary begins, or is done. */
export interface ResponseSummaryPartEvent<
  Type extends string =
    | "response.reasoning_summary_part.added"
    | "response.reasoning_summary_part.done",
> extends ResponseSummaryEvent<Type> {
  /** The part at this point of the stream. */
  part: SummaryTextPart;
}

/** More of a summary. */
export interface ResponseSummaryDeltaEvent
  extends ResponseSummaryEvent<"response.reasoning_summary_text.delta"> {
  /** The next piece. */
  delta: string;
}

/** The end of a summary part. */
export interface ResponseSummaryDoneEvent
  extends ResponseSummaryEvent<"response.reasoning_summary_text.done"> {
  /** The complete value. */
  text: string;
}

/** More of a call's input. */
export interface ResponseArgumentsDeltaEvent
  extends ResponseItemEvent<"response.function_call_arguments.delta"> {
  /** The next piece of JSON text. */
  delta: string;
}

/** The end of a call's input. */
export interface ResponseArgumentsDoneEvent
  extends ResponseItemEvent<"response.function_call_arguments.done"> {
  /** The complete value. */
  arguments: string;
  /** The function. */
  name: string;
}
