/**
 * What a conversation of Chat Completions is made of.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/**
 * Text in a message.
 *
 * @example
 * ```ts
 * import type { TextPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: TextPart = { type: "text", text: "What is in this picture?" };
 * assertEquals(JSON.stringify(part), '{"type":"text","text":"What is in this picture?"}');
 * ```
 */
export interface TextPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "text";
  /** The words themselves. */
  text: string;
}

/**
 * Where an image is and how closely to look at it.
 *
 * @example
 * ```ts
 * import type { ImageUrl } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const image: ImageUrl = { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" };
 * assert(image.url.startsWith("data:image/png;base64,"));
 * ```
 */
export interface ImageUrl extends Extensible {
  /** An http(s) URL or a base64 data URI. */
  url: string;
  /** Resolution that the model sees, and is billed for; its provider's choice where absent. */
  detail?: "auto" | "low" | "high";
}

/**
 * An image in a user message.
 *
 * @example
 * ```ts
 * import type { ImagePart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: ImagePart = {
 *   type: "image_url",
 *   image_url: { url: "https://a.example/cat.png", detail: "low" },
 * };
 * assertEquals(new URL(part.image_url.url).pathname, "/cat.png");
 * ```
 */
export interface ImagePart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "image_url";
  /** The image. */
  image_url: ImageUrl;
}

/**
 * A part of a kind not modelled here (audio, file, refusal): it passes through.
 *
 * @example
 * ```ts
 * import type { OtherPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const part: OtherPart = {
 *   type: "input_audio",
 *   input_audio: { data: "UklGRg==", format: "wav" },
 * };
 * assertEquals(Object.keys(part), ["type", "input_audio"]);
 * ```
 */
export interface OtherPart extends Extensible {
  /** Its kind, as its provider names it. */
  type: string;
}

/**
 * Part of a message's content.
 *
 * @example
 * ```ts
 * import type { ContentPart } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const content: ContentPart[] = [
 *   { type: "text", text: "What is this?" },
 *   { type: "image_url", image_url: { url: "https://a.example/cat.png" } },
 * ];
 * assertEquals(content.map(({ type }) => type), ["text", "image_url"]);
 * ```
 */
export type ContentPart = TextPart | ImagePart | OtherPart;

/**
 * The function that a tool call names, with its input.
 *
 * @example
 * ```ts
 * import type { ToolCallFunction } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const { name, arguments: text }: ToolCallFunction = {
 *   name: "get_weather",
 *   arguments: '{"city":"Oslo"}',
 * };
 * assertEquals([name, JSON.parse(text).city], ["get_weather", "Oslo"]);
 * ```
 */
export interface ToolCallFunction extends Extensible {
  /** Name of a declared tool; models do invent others. */
  name: string;
  /** The input as JSON text; a model may write text that does not parse. */
  arguments: string;
}

/**
 * A tool call that a model made. Echo it back whole on the continuation turn: `extra_content` and
 * `thought_signature` are opaque to everybody but the provider that wrote them.
 *
 * @example
 * ```ts
 * import type { ChatMessage, ToolCall } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const call: ToolCall = {
 *   id: "call_1",
 *   type: "function",
 *   function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
 *   extra_content: { google: { thought_signature: "CiQB" } },
 * };
 * const result: ChatMessage = { role: "tool", tool_call_id: call.id, content: "Rain" };
 * assertEquals(result.tool_call_id, "call_1");
 * ```
 */
export interface ToolCall extends Extensible {
  /** What the tool message with the result quotes as `tool_call_id`. */
  id: string;
  /** The only kind of call: hosted tools run before the answer leaves. */
  type: "function";
  /** What to run, and with what. */
  function: ToolCallFunction;
  /** Opaque provider extensions, preserved byte for byte. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature of some providers, preserved byte for byte. */
  thought_signature?: string;
}

/**
 * One message of a conversation.
 *
 * @example
 * ```ts
 * import type { ChatMessage } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const messages: ChatMessage[] = [
 *   { role: "system", content: "Answer in one sentence." },
 *   { role: "user", content: "Why is the sky blue?" },
 * ];
 * assertEquals(messages.map(({ role }) => role), ["system", "user"]);
 * ```
 */
export interface ChatMessage extends Extensible {
  /** One of these, or what a provider adds; editors offer the names. */
  role: "system" | "developer" | "user" | "assistant" | "tool" | string & Record<never, never>;
  /** What was said; `null` or absent on assistant messages that only call tools. */
  content?: string | ContentPart[] | null;
  /** Tells apart speakers of the same role. */
  name?: string;
  /** On assistant messages: the calls the model made. */
  tool_calls?: ToolCall[];
  /** On tool messages: the call this is the result of. */
  tool_call_id?: string;
}
