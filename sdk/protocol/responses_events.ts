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

/**
 * The response as it stands: first when it begins, last when it has ended.
 *
 * @example
 * ```ts
 * import type { ResponseLifecycleEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseLifecycleEvent = JSON.parse(
 *   '{"type":"response.completed","sequence_number":9,"response":{"id":"resp_1","output":[]}}',
 * );
 * assertEquals([event.type, event.response.id], ["response.completed", "resp_1"]);
 * ```
 */
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

/**
 * An item begins, or is done.
 *
 * @example
 * ```ts
 * import type { ResponseOutputItemEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseOutputItemEvent<"response.output_item.added"> = {
 *   type: "response.output_item.added",
 *   sequence_number: 2,
 *   output_index: 0,
 *   item: {
 *     type: "function_call",
 *     id: "fc_1",
 *     call_id: "call_1",
 *     status: "in_progress",
 *     name: "get_time",
 *     arguments: "",
 *   },
 * };
 * assertEquals(event.item.type, "function_call");
 * ```
 */
export interface ResponseOutputItemEvent<
  Type extends string = "response.output_item.added" | "response.output_item.done",
> extends ResponseEventBase<Type> {
  /** The item's place in the output, from 0. */
  output_index: number;
  /** The item as it stands. */
  item: ResponseOutputItem;
}

/**
 * A content part begins, or is done.
 *
 * @example
 * ```ts
 * import type { ResponseContentPartEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseContentPartEvent<"response.content_part.added"> = {
 *   type: "response.content_part.added",
 *   sequence_number: 3,
 *   item_id: "msg_1",
 *   output_index: 0,
 *   content_index: 0,
 *   part: { type: "output_text", text: "", annotations: [], logprobs: [] },
 * };
 * assertEquals(event.part.type, "output_text");
 * ```
 */
export interface ResponseContentPartEvent<
  Type extends string = "response.content_part.added" | "response.content_part.done",
> extends ResponsePartEvent<Type> {
  /** The part as it stands. */
  part: OutputTextPart | RefusalPart | ReasoningTextPart;
}

/**
 * A hosted search goes on.
 *
 * @example
 * ```ts
 * import type { ResponseSearchEvent } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const event: ResponseSearchEvent = {
 *   type: "response.file_search_call.completed",
 *   sequence_number: 4,
 *   item_id: "fs_1",
 *   output_index: 0,
 * };
 * assert(event.type.endsWith(".completed"));
 * ```
 */
export type ResponseSearchEvent = ResponseItemEvent<
  `response.${"web_search_call" | "file_search_call"}.${"in_progress" | "searching" | "completed"}`
>;

/**
 * The stream failed.
 *
 * @example
 * ```ts
 * import type { ResponseErrorEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseErrorEvent = {
 *   type: "error",
 *   sequence_number: 7,
 *   code: "upstream_error",
 *   param: null,
 *   message: "Every model that could serve this request failed",
 * };
 * assertEquals(event.code, "upstream_error");
 * ```
 */
export interface ResponseErrorEvent extends ResponseEventBase<"error"> {
  /** Of the service's error table. */
  code: string | null;
  /** One sentence for a person. */
  message: string;
  /** Path of the offending field. */
  param: string | null;
}

/**
 * Every event of a stream.
 *
 * @example
 * ```ts
 * import type { ResponseStreamEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const at = { item_id: "msg_1", output_index: 0, content_index: 0, logprobs: [] };
 * const events: ResponseStreamEvent[] = [
 *   { type: "response.output_text.delta", sequence_number: 4, delta: "Hel", ...at },
 *   { type: "response.output_text.delta", sequence_number: 5, delta: "lo", ...at },
 *   { type: "response.output_text.done", sequence_number: 6, text: "Hello", ...at },
 * ];
 * let text = "";
 * for (const event of events) {
 *   if (event.type === "response.output_text.delta") text += event.delta;
 * }
 * assertEquals(text, "Hello");
 * ```
 */
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
 *
 * @example
 * ```ts
 * import type { ResponseExtensionEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseExtensionEvent = {
 *   type: "svc:orchestration.task.delta",
 *   sequence_number: 3,
 *   task_id: "prices",
 * };
 * assertEquals(event.type.split(":")[0], "svc");
 * ```
 */
export interface ResponseExtensionEvent extends ResponseEventBase<`${string}:${string}`> {}
