/**
 * The events of a streamed response.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { ResponseResource } from "./responses.ts";
import type {
  OutputTextPart,
  ReasoningTextPart,
  RefusalPart,
  ResponseAnnotation,
  ResponseOutputItem,
  SummaryTextPart,
} from "./responses_items.ts";

/** What every event has. */
export interface ResponseEventBase<Type extends string> extends Extensible {
  /** The event's name, also on its `event:` line. */
  type: Type;
  /** Counts the events of a stream, from 0. */
  sequence_number: number;
}

/** What every event of an item has. */
export interface ResponseItemEvent<Type extends string> extends ResponseEventBase<Type> {
  /** The item's id. */
  item_id: string;
  /** The item's place in the output, from 0. */
  output_index: number;
}

/** What every event of a content part has. */
export interface ResponsePartEvent<Type extends string> extends ResponseItemEvent<Type> {
  /** The part's place in its item, from 0. */
  content_index: number;
}

/** What every event of a summary's part has. */
export interface ResponseSummaryEvent<Type extends string> extends ResponseItemEvent<Type> {
  /** The part's place in the summary, from 0. */
  summary_index: number;
}

/** The response as it stands: first when it begins, last when it has ended. */
export interface ResponseLifecycleEvent<
  Type extends string =
    | "response.created"
    | "response.in_progress"
    | "response.completed"
    | "response.incomplete"
    | "response.failed",
> extends ResponseEventBase<Type> {
  /** All of it. */
  response: ResponseResource;
}

/** An item begins, or is done. */
export interface ResponseOutputItemEvent<
  Type extends string = "response.output_item.added" | "response.output_item.done",
> extends ResponseEventBase<Type> {
  /** The item's place in the output, from 0. */
  output_index: number;
  /** The item as it stands. */
  item: ResponseOutputItem;
}

/** A content part begins, or is done. */
export interface ResponseContentPartEvent<
  Type extends string = "response.content_part.added" | "response.content_part.done",
> extends ResponsePartEvent<Type> {
  /** The part as it stands. */
  part: OutputTextPart | RefusalPart | ReasoningTextPart;
}

/** More text. */
export interface ResponseTextDeltaEvent extends ResponsePartEvent<"response.output_text.delta"> {
  /** The next piece. */
  delta: string;
  /** Always empty. */
  logprobs: never[];
}

/** The text is whole. */
export interface ResponseTextDoneEvent extends ResponsePartEvent<"response.output_text.done"> {
  /** All of it. */
  text: string;
  /** Always empty. */
  logprobs: never[];
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

/** The refusal is whole. */
export interface ResponseRefusalDoneEvent extends ResponsePartEvent<"response.refusal.done"> {
  /** All of it. */
  refusal: string;
}

/** The reasoning is whole. */
export interface ResponseReasoningDoneEvent
  extends ResponsePartEvent<"response.reasoning_text.done"> {
  /** All of it. */
  text: string;
}

/** A part of a summary begins, or is done. */
export interface ResponseSummaryPartEvent<
  Type extends string =
    | "response.reasoning_summary_part.added"
    | "response.reasoning_summary_part.done",
> extends ResponseSummaryEvent<Type> {
  /** The part as it stands. */
  part: SummaryTextPart;
}

/** More of a summary. */
export interface ResponseSummaryDeltaEvent
  extends ResponseSummaryEvent<"response.reasoning_summary_text.delta"> {
  /** The next piece. */
  delta: string;
}

/** A summary's part is whole. */
export interface ResponseSummaryDoneEvent
  extends ResponseSummaryEvent<"response.reasoning_summary_text.done"> {
  /** All of it. */
  text: string;
}

/** More of a call's input. */
export interface ResponseArgumentsDeltaEvent
  extends ResponseItemEvent<"response.function_call_arguments.delta"> {
  /** The next piece of JSON text. */
  delta: string;
}

/** A call's input is whole. */
export interface ResponseArgumentsDoneEvent
  extends ResponseItemEvent<"response.function_call_arguments.done"> {
  /** All of it. */
  arguments: string;
  /** The function. */
  name: string;
}

/** A hosted search goes on. */
export type ResponseSearchEvent = ResponseItemEvent<
  `response.${"web_search_call" | "file_search_call"}.${"in_progress" | "searching" | "completed"}`
>;

/** The stream failed. */
export interface ResponseErrorEvent extends ResponseEventBase<"error"> {
  /** Of the service's error table. */
  code: string | null;
  /** One sentence for a person. */
  message: string;
  /** Path of the offending field. */
  param: string | null;
}

/** Every event of a stream. */
export type ResponseStreamEvent =
  | ResponseLifecycleEvent<"response.created">
  | ResponseLifecycleEvent<"response.in_progress">
  | ResponseLifecycleEvent<"response.completed">
  | ResponseLifecycleEvent<"response.incomplete">
  | ResponseLifecycleEvent<"response.failed">
  | ResponseOutputItemEvent<"response.output_item.added">
  | ResponseOutputItemEvent<"response.output_item.done">
  | ResponseContentPartEvent<"response.content_part.added">
  | ResponseContentPartEvent<"response.content_part.done">
  | ResponseTextDeltaEvent
  | ResponseTextDoneEvent
  | ResponseAnnotationEvent
  | ResponsePartDeltaEvent<"response.refusal.delta">
  | ResponsePartDeltaEvent<"response.reasoning_text.delta">
  | ResponseRefusalDoneEvent
  | ResponseReasoningDoneEvent
  | ResponseSummaryPartEvent<"response.reasoning_summary_part.added">
  | ResponseSummaryPartEvent<"response.reasoning_summary_part.done">
  | ResponseSummaryDeltaEvent
  | ResponseSummaryDoneEvent
  | ResponseArgumentsDeltaEvent
  | ResponseArgumentsDoneEvent
  | ResponseSearchEvent
  | ResponseErrorEvent;

/**
 * An event that is no part of the standard: its maker's name stands in front, `maker:event`. Clients
 * that do not know it pass over it.
 */
export interface ResponseExtensionEvent extends ResponseEventBase<`${string}:${string}`> {}
