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

/**
 * More text.
 *
 * @example
 * ```ts
 * import type { ResponseTextDeltaEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const at = { item_id: "msg_1", output_index: 0, content_index: 0, logprobs: [] };
 * const events: ResponseTextDeltaEvent[] = [
 *   { type: "response.output_text.delta", sequence_number: 4, delta: "Hel", ...at },
 *   { type: "response.output_text.delta", sequence_number: 5, delta: "lo", ...at },
 * ];
 * assertEquals(events.map(({ delta }) => delta).join(""), "Hello");
 * ```
 */
export interface ResponseTextDeltaEvent extends ResponsePartEvent<"response.output_text.delta"> {
  /** The next piece. */
  delta: string;
  /** Of its tokens; empty where they were not asked for. */
  logprobs: ResponseLogprob[];
}

/**
 * The text is whole.
 *
 * @example
 * ```ts
 * import type { ResponseTextDoneEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseTextDoneEvent = {
 *   type: "response.output_text.done",
 *   sequence_number: 6,
 *   text: "Hello",
 *   logprobs: [],
 *   item_id: "msg_1",
 *   output_index: 0,
 *   content_index: 0,
 * };
 * assertEquals(event.text, "Hello");
 * ```
 */
export interface ResponseTextDoneEvent extends ResponsePartEvent<"response.output_text.done"> {
  /** All of it. */
  text: string;
  /** Of its tokens; empty where they were not asked for. */
  logprobs: ResponseLogprob[];
}

/**
 * The text cites a source.
 *
 * @example
 * ```ts
 * import type { ResponseAnnotationEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseAnnotationEvent = {
 *   type: "response.output_text.annotation.added",
 *   sequence_number: 7,
 *   item_id: "msg_1",
 *   output_index: 0,
 *   content_index: 0,
 *   annotation_index: 0,
 *   annotation: {
 *     type: "url_citation",
 *     url: "https://a.example/",
 *     title: "Oslo",
 *     start_index: 0,
 *     end_index: 17,
 *   },
 * };
 * assertEquals(event.annotation.type, "url_citation");
 * ```
 */
export interface ResponseAnnotationEvent
  extends ResponsePartEvent<"response.output_text.annotation.added"> {
  /** The annotation's place in its part, from 0. */
  annotation_index: number;
  /** The source. */
  annotation: ResponseAnnotation;
}

/**
 * More of a refusal or of reasoning.
 *
 * @example
 * ```ts
 * import type { ResponsePartDeltaEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponsePartDeltaEvent<"response.refusal.delta"> = {
 *   type: "response.refusal.delta",
 *   sequence_number: 4,
 *   delta: "I cannot",
 *   item_id: "msg_1",
 *   output_index: 0,
 *   content_index: 0,
 * };
 * assertEquals(event.delta, "I cannot");
 * ```
 */
export interface ResponsePartDeltaEvent<
  Type extends string = "response.refusal.delta" | "response.reasoning_text.delta",
> extends ResponsePartEvent<Type> {
  /** The next piece. */
  delta: string;
}

/**
 * The refusal is whole.
 *
 * @example
 * ```ts
 * import type { ResponseRefusalDoneEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseRefusalDoneEvent = {
 *   type: "response.refusal.done",
 *   sequence_number: 5,
 *   refusal: "I cannot do that.",
 *   item_id: "msg_1",
 *   output_index: 0,
 *   content_index: 0,
 * };
 * assertEquals(event.refusal, "I cannot do that.");
 * ```
 */
export interface ResponseRefusalDoneEvent extends ResponsePartEvent<"response.refusal.done"> {
  /** All of it. */
  refusal: string;
}

/**
 * The reasoning is whole.
 *
 * @example
 * ```ts
 * import type { ResponseReasoningDoneEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseReasoningDoneEvent = {
 *   type: "response.reasoning_text.done",
 *   sequence_number: 5,
 *   text: "A greeting.",
 *   item_id: "rs_1",
 *   output_index: 0,
 *   content_index: 0,
 * };
 * assertEquals(event.text, "A greeting.");
 * ```
 */
export interface ResponseReasoningDoneEvent
  extends ResponsePartEvent<"response.reasoning_text.done"> {
  /** All of it. */
  text: string;
}

/**
 * A part of a summary begins, or is done.
 *
 * @example
 * ```ts
 * import type { ResponseSummaryPartEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseSummaryPartEvent<"response.reasoning_summary_part.added"> = {
 *   type: "response.reasoning_summary_part.added",
 *   sequence_number: 3,
 *   item_id: "rs_1",
 *   output_index: 0,
 *   summary_index: 0,
 *   part: { type: "summary_text", text: "" },
 * };
 * assertEquals(event.part.text, "");
 * ```
 */
export interface ResponseSummaryPartEvent<
  Type extends string =
    | "response.reasoning_summary_part.added"
    | "response.reasoning_summary_part.done",
> extends ResponseSummaryEvent<Type> {
  /** The part as it stands. */
  part: SummaryTextPart;
}

/**
 * More of a summary.
 *
 * @example
 * ```ts
 * import type { ResponseSummaryDeltaEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const at = { item_id: "rs_1", output_index: 0, summary_index: 0 };
 * const type = "response.reasoning_summary_text.delta";
 * const events: ResponseSummaryDeltaEvent[] = [
 *   { type, sequence_number: 4, delta: "The user ", ...at },
 *   { type, sequence_number: 5, delta: "greets.", ...at },
 * ];
 * assertEquals(events.map(({ delta }) => delta).join(""), "The user greets.");
 * ```
 */
export interface ResponseSummaryDeltaEvent
  extends ResponseSummaryEvent<"response.reasoning_summary_text.delta"> {
  /** The next piece. */
  delta: string;
}

/**
 * A summary's part is whole.
 *
 * @example
 * ```ts
 * import type { ResponseSummaryDoneEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseSummaryDoneEvent = {
 *   ...{
 *     type: "response.reasoning_summary_text.done",
 *     sequence_number: 6,
 *     text: "The user greets.",
 *   },
 *   item_id: "rs_1",
 *   output_index: 0,
 *   summary_index: 0,
 * };
 * assertEquals(event.text, "The user greets.");
 * ```
 */
export interface ResponseSummaryDoneEvent
  extends ResponseSummaryEvent<"response.reasoning_summary_text.done"> {
  /** All of it. */
  text: string;
}

/**
 * More of a call's input.
 *
 * @example
 * ```ts
 * import type { ResponseArgumentsDeltaEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const at = { item_id: "fc_1", output_index: 0 };
 * const type = "response.function_call_arguments.delta";
 * const events: ResponseArgumentsDeltaEvent[] = [
 *   { type, sequence_number: 3, delta: '{"city":', ...at },
 *   { type, sequence_number: 4, delta: '"Oslo"}', ...at },
 * ];
 * assertEquals(JSON.parse(events.map(({ delta }) => delta).join("")), { city: "Oslo" });
 * ```
 */
export interface ResponseArgumentsDeltaEvent
  extends ResponseItemEvent<"response.function_call_arguments.delta"> {
  /** The next piece of JSON text. */
  delta: string;
}

/**
 * A call's input is whole.
 *
 * @example
 * ```ts
 * import type { ResponseArgumentsDoneEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseArgumentsDoneEvent = {
 *   type: "response.function_call_arguments.done",
 *   sequence_number: 5,
 *   item_id: "fc_1",
 *   output_index: 0,
 *   name: "get_weather",
 *   arguments: '{"city":"Oslo"}',
 * };
 * assertEquals([event.name, JSON.parse(event.arguments).city], ["get_weather", "Oslo"]);
 * ```
 */
export interface ResponseArgumentsDoneEvent
  extends ResponseItemEvent<"response.function_call_arguments.done"> {
  /** All of it. */
  arguments: string;
  /** The function. */
  name: string;
}
