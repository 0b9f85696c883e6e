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

/**
 * The answer begins.
 *
 * @example
 * ```ts
 * import type { MessageStartEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: MessageStartEvent = JSON.parse(
 *   '{"type":"message_start","message":{"role":"assistant","content":[],"stop_reason":null}}',
 * );
 * assertEquals([event.message.content, event.message.stop_reason], [[], null]);
 * ```
 */
export interface MessageStartEvent extends Extensible {
  /** Tells the kinds of events apart. */
  type: "message_start";
  /** The answer, without content; its usage is not known yet. */
  message: Message;
}

/**
 * A block begins.
 *
 * @example
 * ```ts
 * import type { ContentBlockStartEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ContentBlockStartEvent = {
 *   type: "content_block_start",
 *   index: 0,
 *   content_block: { type: "text", text: "", citations: null },
 * };
 * assertEquals(event.content_block.type, "text");
 * ```
 */
export interface ContentBlockStartEvent extends Extensible {
  /** Tells the kinds of events apart. */
  type: "content_block_start";
  /** Position of the block in the answer. */
  index: number;
  /** The block, empty: what fills it follows. A tool call's signatures are complete. */
  content_block: ContentBlock;
}

/**
 * The next piece of a text.
 *
 * @example
 * ```ts
 * import type { MessageTextDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const deltas: MessageTextDelta[] = [
 *   { type: "text_delta", text: "Hel" },
 *   { type: "text_delta", text: "lo" },
 * ];
 * assertEquals(deltas.map(({ text }) => text).join(""), "Hello");
 * ```
 */
export interface MessageTextDelta extends Extensible {
  /** Tells the kinds of deltas apart. */
  type: "text_delta";
  /** The piece. */
  text: string;
}

/**
 * The next piece of a model's thinking.
 *
 * @example
 * ```ts
 * import type { MessageThinkingDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const deltas: MessageThinkingDelta[] = [
 *   { type: "thinking_delta", thinking: "A gree" },
 *   { type: "thinking_delta", thinking: "ting." },
 * ];
 * assertEquals(deltas.map(({ thinking }) => thinking).join(""), "A greeting.");
 * ```
 */
export interface MessageThinkingDelta extends Extensible {
  /** Tells the kinds of deltas apart. */
  type: "thinking_delta";
  /** The piece. */
  thinking: string;
}

/**
 * The signature of a model's thinking, whole; it replaces an earlier one.
 *
 * @example
 * ```ts
 * import type { MessageSignatureDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * let signature = "";
 * const delta: MessageSignatureDelta = { type: "signature_delta", signature: "EqQB" };
 * signature = delta.signature;
 * assertEquals(signature, "EqQB");
 * ```
 */
export interface MessageSignatureDelta extends Extensible {
  /** Tells the kinds of deltas apart. */
  type: "signature_delta";
  /** Opaque. */
  signature: string;
}

/**
 * A piece of a tool call's input.
 *
 * @example
 * ```ts
 * import type { MessageInputJsonDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const deltas: MessageInputJsonDelta[] = [
 *   { type: "input_json_delta", partial_json: '{"city":' },
 *   { type: "input_json_delta", partial_json: '"Oslo"}' },
 * ];
 * const text = deltas.map(({ partial_json }) => partial_json).join("");
 * assertEquals(JSON.parse(text || "{}"), { city: "Oslo" });
 * ```
 */
export interface MessageInputJsonDelta extends Extensible {
  /** Tells the kinds of deltas apart. */
  type: "input_json_delta";
  /** The next piece of the JSON text; no piece at all means an empty object. */
  partial_json: string;
}

/**
 * What fills a block.
 *
 * @example
 * ```ts
 * import type { ContentBlockDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const textOf = (delta: ContentBlockDelta) => delta.type === "text_delta" ? delta.text : "";
 * assertEquals(textOf({ type: "text_delta", text: "Hel" }), "Hel");
 * assertEquals(textOf({ type: "signature_delta", signature: "EqQB" }), "");
 * ```
 */
export type ContentBlockDelta =
  | MessageTextDelta
  | MessageThinkingDelta
  | MessageSignatureDelta
  | MessageInputJsonDelta;

/**
 * The block at hand goes on.
 *
 * @example
 * ```ts
 * import type { ContentBlockDeltaEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ContentBlockDeltaEvent = {
 *   type: "content_block_delta",
 *   index: 1,
 *   delta: { type: "text_delta", text: "Hel" },
 * };
 * assertEquals([event.index, event.delta.type], [1, "text_delta"]);
 * ```
 */
export interface ContentBlockDeltaEvent extends Extensible {
  /** Tells the kinds of events apart. */
  type: "content_block_delta";
  /** Position of the block in the answer. */
  index: number;
  /** What is new. */
  delta: ContentBlockDelta;
}

/**
 * The block at hand is complete.
 *
 * @example
 * ```ts
 * import type { ContentBlockStopEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const open = new Set([0]);
 * const event: ContentBlockStopEvent = { type: "content_block_stop", index: 0 };
 * open.delete(event.index);
 * assertEquals(open.size, 0);
 * ```
 */
export interface ContentBlockStopEvent extends Extensible {
  /** Tells the kinds of events apart. */
  type: "content_block_stop";
  /** Position of the block in the answer. */
  index: number;
}

/**
 * How the answer ended.
 *
 * @example
 * ```ts
 * import type { MessageDeltaEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: MessageDeltaEvent = JSON.parse(
 *   '{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}',
 * );
 * assertEquals([event.delta.stop_reason, event.usage.output_tokens], ["max_tokens", 9]);
 * ```
 */
export interface MessageDeltaEvent extends Extensible {
  /** Tells the kinds of events apart. */
  type: "message_delta";
  /** What replaces the fields of `message_start`. */
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
  /** Of the whole answer: it replaces what `message_start` had. */
  usage: MessagesUsage;
  /** The route and the bill, where available. */
  metadata?: ServiceMetadata;
}

/**
 * The answer is complete.
 *
 * @example
 * ```ts
 * import type { MessageStopEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const event: MessageStopEvent = { type: "message_stop" };
 * assertEquals(`event: ${event.type}\ndata: ${JSON.stringify(event)}`.split("\n").length, 2);
 * ```
 */
export interface MessageStopEvent extends Extensible {
  /** Tells the kinds of events apart. */
  type: "message_stop";
}

/**
 * One event of a streamed answer.
 *
 * @example
 * ```ts
 * import type { MessageStreamEvent } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const events: MessageStreamEvent[] = [
 *   { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
 *   { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
 *   { type: "content_block_stop", index: 0 },
 * ];
 * let text = "";
 * for (const event of events) {
 *   if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
 *     text += event.delta.text;
 *   }
 * }
 * assertEquals(text, "Hello");
 * ```
 */
export type MessageStreamEvent =
  | MessageStartEvent
  | ContentBlockStartEvent
  | ContentBlockDeltaEvent
  | ContentBlockStopEvent
  | MessageDeltaEvent
  | MessageStopEvent;
