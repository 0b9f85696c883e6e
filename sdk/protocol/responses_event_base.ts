/**
 * What the events of a streamed response have in common.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/**
 * What every event has.
 *
 * @example
 * ```ts
 * import type { ResponseEventBase } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const events: ResponseEventBase<string>[] = [
 *   { type: "response.created", sequence_number: 0 },
 *   { type: "response.in_progress", sequence_number: 1 },
 * ];
 * assert(events.every((event, at) => event.sequence_number === at));
 * ```
 */
export interface ResponseEventBase<Type extends string> extends Extensible {
  /** The event's name, also on its `event:` line. */
  type: Type;
  /** Counts the events of a stream, from 0. */
  sequence_number: number;
}

/**
 * What every event of an item has.
 *
 * @example
 * ```ts
 * import type { ResponseItemEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseItemEvent<"response.web_search_call.searching"> = {
 *   type: "response.web_search_call.searching",
 *   sequence_number: 3,
 *   item_id: "ws_1",
 *   output_index: 0,
 * };
 * assertEquals(event.item_id, "ws_1");
 * ```
 */
export interface ResponseItemEvent<Type extends string> extends ResponseEventBase<Type> {
  /** The item's id. */
  item_id: string;
  /** The item's place in the output, from 0. */
  output_index: number;
}

/**
 * What every event of a content part has.
 *
 * @example
 * ```ts
 * import type { ResponsePartEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponsePartEvent<"response.output_text.delta"> = {
 *   type: "response.output_text.delta",
 *   sequence_number: 4,
 *   delta: "Hel",
 *   item_id: "msg_1",
 *   output_index: 1,
 *   content_index: 0,
 * };
 * assertEquals([event.output_index, event.content_index], [1, 0]);
 * ```
 */
export interface ResponsePartEvent<Type extends string> extends ResponseItemEvent<Type> {
  /** The part's place in its item, from 0. */
  content_index: number;
}

/**
 * What every event of a summary's part has.
 *
 * @example
 * ```ts
 * import type { ResponseSummaryEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ResponseSummaryEvent<"response.reasoning_summary_text.delta"> = {
 *   type: "response.reasoning_summary_text.delta",
 *   sequence_number: 4,
 *   delta: "The user",
 *   item_id: "rs_1",
 *   output_index: 0,
 *   summary_index: 0,
 * };
 * assertEquals(event.summary_index, 0);
 * ```
 */
export interface ResponseSummaryEvent<Type extends string> extends ResponseItemEvent<Type> {
  /** The part's place in the summary, from 0. */
  summary_index: number;
}
