/**
 * The events of a streamed response.
 *
 * @module
 */

import type { ResponseResource } from "./responses.ts";
import type {
  ResponseEventBase,
  ResponseItemEvent,
  ResponsePartEvent,
} from "./responses_event_base.ts";
import type { ResponseOutputItem } from "./responses_output.ts";
import type { OutputTextPart, ReasoningTextPart, RefusalPart } from "./responses_parts.ts";
import type {
  ResponseAnnotationEvent,
  ResponseArgumentsDeltaEvent,
  ResponseArgumentsDoneEvent,
  ResponsePartDeltaEvent,
  ResponseReasoningDoneEvent,
  ResponseRefusalDoneEvent,
  ResponseSummaryDeltaEvent,
  ResponseSummaryDoneEvent,
  ResponseSummaryPartEvent,
  ResponseTextDeltaEvent,
  ResponseTextDoneEvent,
} from "./responses_text_events.ts";

/** The response at a point of its life: first at its beginning, last at its end. */
export interface ResponseLifecycleEvent<
  Type extends string =
    | "response.created"
    | "response.in_progress"
    | "response.completed"
    | "response.incomplete"
    | "response.failed",
> extends ResponseEventBase<Type> {
  /** The complete value. */
  response: ResponseResource;
}

/** An item begins, or is done. */
export interface ResponseOutputItemEvent<
  Type extends string = "response.output_item.added" | "response.output_item.done",
> extends ResponseEventBase<Type> {
  /** The item's place in the output, from 0. */
  output_index: number;
  /** The item at this point of the stream. */
  item: ResponseOutputItem;
}

/** A content part begins, or is done. */
export interface ResponseContentPartEvent<
  Type extends string = "response.content_part.added" | "response.content_part.done",
> extends ResponsePartEvent<Type> {
  /** The part at this point of the stream. */
  part: OutputTextPart | RefusalPart | ReasoningTextPart;
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
