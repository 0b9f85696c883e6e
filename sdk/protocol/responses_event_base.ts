/**
 * What the events of a streamed response have in common.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

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
