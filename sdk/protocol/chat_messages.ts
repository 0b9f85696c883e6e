/**
 * Messages of Chat Completions.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Text in a message. */
export interface TextPart extends Extensible {
  /** Kind of the part. */
  type: "text";
  /** The text. */
  text: string;
}

/** Address of an image and the detail in which the model sees it. */
export interface ImageUrl extends Extensible {
  /** An http(s) URL or a base64 data URI. */
  url: string;
  /** Resolution that the model sees, and is billed for; its provider's choice where absent. */
  detail?: "auto" | "low" | "high";
}

/** An image in a user message. */
export interface ImagePart extends Extensible {
  /** Kind of the part. */
  type: "image_url";
  /** The image. */
  image_url: ImageUrl;
}

/** A part of a kind not modelled here (audio, file, refusal): it passes through. */
export interface OtherPart extends Extensible {
  /** Its kind, as its provider names it. */
  type: string;
}

/** Part of a message's content. */
export type ContentPart = TextPart | ImagePart | OtherPart;

/** The function that a tool call names, with its input. */
export interface ToolCallFunction extends Extensible {
  /** Name of a declared tool; models do invent others. */
  name: string;
  /** The input as JSON text; a model may write text that does not parse. */
  arguments: string;
}

/**
 * A tool call of a model. Send it back whole on the continuation turn: `extra_content` and
 * `thought_signature` are opaque to all but the provider that wrote them.
 */
export interface ToolCall extends Extensible {
  /** Id of the call; the tool message with the result repeats it as `tool_call_id`. */
  id: string;
  /** The only kind of call: hosted tools run before the answer leaves. */
  type: "function";
  /** Name and arguments of the call. */
  function: ToolCallFunction;
  /** Opaque provider extensions, preserved byte for byte. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature of some providers, preserved byte for byte. */
  thought_signature?: string;
}

/** One message of a conversation. */
export interface ChatMessage extends Extensible {
  /** One of these, or what a provider adds; editors offer the names. */
  role: "system" | "developer" | "user" | "assistant" | "tool" | string & Record<never, never>;
  /** Content of the message; `null` or absent on assistant messages that only call tools. */
  content?: string | ContentPart[] | null;
  /** Tells apart speakers of the same role. */
  name?: string;
  /** On assistant messages: the calls the model made. */
  tool_calls?: ToolCall[];
  /** On tool messages: the call this is the result of. */
  tool_call_id?: string;
}
