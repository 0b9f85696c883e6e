/**
 * Base shapes of the events of a streamed response.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Fields of every event. */
export interface ResponseEventBase<Type extends string> extends Extensible {
  /** The event's name, also on its `event:` line. */
  type: Type;
  /** Counts the events of a stream, from 0. */
  sequence_number: number;
}

/** Fields of every event of an item. */
export interface ResponseItemEvent<Type extends string> extends ResponseEventBase<Type> {
  /** The item's id. */
  item_id: string;
  /** The item's place in the output, from 0. */
  output_index: number;
}

/** Fields of every event of a content part. */
export interface ResponsePartEvent<Type extends string> extends ResponseItemEvent<Type> {
  /** The part's place in its item, from 0. */
  content_index: number;
}

/** Fields of every event of a summary part. */
export interface ResponseSummaryEvent<Type extends string> extends ResponseItemEvent<Type> {
  /** The part's place in the summary, from 0. */
  summary_index: number;
}
