/**
 * The events of a streamed answer of the Anthropic-compatible surface.
 *
 * `message_start` comes first and once. Then the blocks of the answer, one at a time and by their
 * positions: `content_block_start`, `content_block_delta` as often as needed, `content_block_stop`.
 * At the end `message_delta` and `message_stop`.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { Message, MessagesUsage, RefusalStopDetails, StopReason } from "./messages.ts";
import type { ContentBlock } from "./messages_content.ts";
import type { ServiceMetadata } from "./metadata.ts";

/** The answer begins. */
export interface MessageStartEvent extends Extensible {
  /** Kind of the event. */
  type: "message_start";
  /** The answer, without content; its usage is not known yet. */
  message: Message;
}

/** A block begins. */
export interface ContentBlockStartEvent extends Extensible {
  /** Kind of the event. */
  type: "content_block_start";
  /** Position of the block in the answer. */
  index: number;
  /** The block, empty: what fills it follows. A tool call's signatures are complete. */
  content_block: ContentBlock;
}

/** The next piece of a text. */
export interface MessageTextDelta extends Extensible {
  /** Kind of the delta. */
  type: "text_delta";
  /** The piece. */
  text: string;
}

/** The next piece of a model's thinking. */
export interface MessageThinkingDelta extends Extensible {
  /** Kind of the delta. */
  type: "thinking_delta";
  /** The piece. */
  thinking: string;
}

/** The signature of a model's thinking, whole; it replaces an earlier one. */
export interface MessageSignatureDelta extends Extensible {
  /** Kind of the delta. */
  type: "signature_delta";
  /** Opaque. */
  signature: string;
}

/** A piece of a tool call's input. */
export interface MessageInputJsonDelta extends Extensible {
  /** Kind of the delta. */
  type: "input_json_delta";
  /** The next piece of the JSON text; no piece at all means an empty object. */
  partial_json: string;
}

/** An increment of a content block. */
export type ContentBlockDelta =
  | MessageTextDelta
  | MessageThinkingDelta
  | MessageSignatureDelta
  | MessageInputJsonDelta;

/** The block at hand goes on. */
export interface ContentBlockDeltaEvent extends Extensible {
  /** Kind of the event. */
  type: "content_block_delta";
  /** Position of the block in the answer. */
  index: number;
  /** The increment. */
  delta: ContentBlockDelta;
}

/** The block at hand is complete. */
export interface ContentBlockStopEvent extends Extensible {
  /** Kind of the event. */
  type: "content_block_stop";
  /** Position of the block in the answer. */
  index: number;
}

/** The end of the answer, with its reason. */
export interface MessageDeltaEvent extends Extensible {
  /** Kind of the event. */
  type: "message_delta";
  /** Values that replace fields of `message_start`. */
  delta: {
    /** Why it ended. */
    stop_reason: StopReason | null;
    /** The stop sequence, where one ended it. */
    stop_sequence: string | null;
    /** More about a refusal. */
    stop_details: RefusalStopDetails | null;
    /** The service has no containers. */
    container: null;
  };
  /** Usage of the whole answer; it replaces that of `message_start`. */
  usage: MessagesUsage;
  /** The route and the bill, where available. */
  metadata?: ServiceMetadata;
}

/** The answer is complete. */
export interface MessageStopEvent extends Extensible {
  /** Kind of the event. */
  type: "message_stop";
}

/** One event of a streamed answer. */
export type MessageStreamEvent =
  | MessageStartEvent
  | ContentBlockStartEvent
  | ContentBlockDeltaEvent
  | ContentBlockStopEvent
  | MessageDeltaEvent
  | MessageStopEvent;
