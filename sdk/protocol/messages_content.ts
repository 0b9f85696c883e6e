/**
 * What messages of the Anthropic-compatible surface are made of.
 *
 * Shapes follow Anthropic's public API reference; type tests hold them against the types of the
 * `@anthropic-ai/sdk` package. None of them travels to the service: the client library converts
 * them to and from Chat Completions.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type {
  Base64Source,
  ContentSource,
  OtherSource,
  PlainTextSource,
  UrlSource,
} from "./messages_sources.ts";

/**
 * Everything up to the marked place may be kept in the provider's cache.
 *
 * @example
 * ```ts
 * import type { CacheControl } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const cache_control: CacheControl = { type: "ephemeral", ttl: "1h" };
 * const system = [{ type: "text", text: "A long handbook …", cache_control }];
 * assertEquals(system[0]?.cache_control.ttl, "1h");
 * ```
 */
export interface CacheControl extends Extensible {
  /** The only kind. */
  type: "ephemeral";
  /** How long it is kept. @default {"5m"} */
  ttl?: "5m" | "1h";
}

/**
 * Text that an application writes.
 *
 * @example
 * ```ts
 * import type { TextBlockParam } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: TextBlockParam = {
 *   type: "text",
 *   text: "A long handbook …",
 *   cache_control: { type: "ephemeral" },
 * };
 * assertEquals(block.cache_control?.ttl, undefined);
 * ```
 */
export interface TextBlockParam extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "text";
  /** The words themselves. */
  text: string;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/**
 * An image that the model sees.
 *
 * @example
 * ```ts
 * import type { ImageBlockParam } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: ImageBlockParam = {
 *   type: "image",
 *   source: { type: "url", url: "https://a.example/cat.png" },
 * };
 * assertEquals(block.source.type, "url");
 * ```
 */
export interface ImageBlockParam extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "image";
  /** Its bytes, or where it is. */
  source: Base64Source | UrlSource | OtherSource;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/**
 * A document that the model reads.
 *
 * @example
 * ```ts
 * import type { DocumentBlockParam } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: DocumentBlockParam = {
 *   type: "document",
 *   title: "Handbook",
 *   source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
 * };
 * assertEquals([block.title, block.source.type], ["Handbook", "base64"]);
 * ```
 */
export interface DocumentBlockParam extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "document";
  /** A PDF's bytes, where it is, or text. */
  source: Base64Source | PlainTextSource | ContentSource | UrlSource | OtherSource;
  /** Its name. */
  title?: string | null;
  /** What the model should know about it. */
  context?: string | null;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/**
 * A model's reasoning before its answer.
 *
 * @example
 * ```ts
 * import type { ThinkingBlock } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: ThinkingBlock = { type: "thinking", thinking: "17 * 23 is …", signature: "EqQB" };
 * // It goes back whole: its provider checks the signature.
 * const echoed = { role: "assistant", content: [block] };
 * assertEquals(echoed.content[0]?.signature, "EqQB");
 * ```
 */
export interface ThinkingBlock extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "thinking";
  /** The reasoning, where its provider shows it. */
  thinking: string;
  /** Opaque; empty where the provider signs tool calls, or nothing. */
  signature: string;
}

/**
 * Reasoning that its provider does not show.
 *
 * @example
 * ```ts
 * import type { RedactedThinkingBlock } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: RedactedThinkingBlock = { type: "redacted_thinking", data: "EmwKAhgB" };
 * assertEquals(Object.keys(block), ["type", "data"]);
 * ```
 */
export interface RedactedThinkingBlock extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "redacted_thinking";
  /** Opaque. */
  data: string;
}

/**
 * A tool call as applications write it.
 *
 * @example
 * ```ts
 * import type { ToolUseBlockParam } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: ToolUseBlockParam = {
 *   type: "tool_use",
 *   id: "call_1",
 *   name: "get_weather",
 *   input: { city: "Oslo" },
 * };
 * assertEquals(block.input, { city: "Oslo" });
 * ```
 */
export interface ToolUseBlockParam extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "tool_use";
  /** What the `tool_result` block quotes as `tool_use_id`. */
  id: string;
  /** Name of a declared tool; models do invent others. */
  name: string;
  /** The input: an object. */
  input: unknown;
  /**
   * The input's JSON text as the model wrote it, where `input` written again would be another text.
   * It is what goes back to the model, as long as `input` still says the same.
   */
  arguments?: string;
  /** Opaque provider extensions, preserved byte for byte. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature of some providers, preserved byte for byte. */
  thought_signature?: string;
}

/**
 * A tool call that a model made. Echo it back whole on the continuation turn: `extra_content` and
 * `thought_signature` are opaque to everybody but the provider that wrote them.
 *
 * @example
 * ```ts
 * import type { ToolResultBlockParam, ToolUseBlock } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: ToolUseBlock = {
 *   type: "tool_use",
 *   id: "call_1",
 *   name: "get_weather",
 *   input: { city: "Oslo" },
 *   caller: { type: "direct" },
 * };
 * const result: ToolResultBlockParam = {
 *   type: "tool_result",
 *   tool_use_id: block.id,
 *   content: "Rain",
 * };
 * assertEquals(result.tool_use_id, "call_1");
 * ```
 */
export interface ToolUseBlock extends ToolUseBlockParam {
  /** Who called: the model itself. */
  caller: {
    /** There is no other caller. */
    type: "direct";
  };
}

/**
 * What came of a tool call.
 *
 * @example
 * ```ts
 * import type { ToolResultBlockParam } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const result: ToolResultBlockParam = {
 *   type: "tool_result",
 *   tool_use_id: "call_1",
 *   content: "There is no city of that name",
 *   is_error: true,
 * };
 * assert(result.is_error);
 * ```
 */
export interface ToolResultBlockParam extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "tool_result";
  /** The call that it answers. */
  tool_use_id: string;
  /** Text, or blocks of text, images and documents; absent: nothing to say. */
  content?: string | ContentBlockParam[];
  /** True: the tool failed, and the content says how. */
  is_error?: boolean;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/**
 * A block of a kind not modelled here.
 *
 * @example
 * ```ts
 * import type { OtherBlockParam } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const block: OtherBlockParam = { type: "container_upload", file_id: "file_1" };
 * assertEquals(block.type, "container_upload");
 * ```
 */
export interface OtherBlockParam extends Extensible {
  /** Its kind. */
  type: string;
}

/**
 * Part of a message that an application writes.
 *
 * @example
 * ```ts
 * import type { ContentBlockParam } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const content: ContentBlockParam[] = [
 *   { type: "image", source: { type: "url", url: "https://a.example/cat.png" } },
 *   { type: "text", text: "What is this?" },
 * ];
 * assertEquals(content.map(({ type }) => type), ["image", "text"]);
 * ```
 */
export type ContentBlockParam =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlockParam
  | ToolResultBlockParam
  | OtherBlockParam;

/**
 * Text that a model writes.
 *
 * @example
 * ```ts
 * import type { TextBlock } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const block: TextBlock = { type: "text", text: "It rains in Oslo.", citations: null };
 * assert(block.text.endsWith("Oslo."));
 * ```
 */
export interface TextBlock extends Extensible {
  /** Tells the kinds of blocks apart. */
  type: "text";
  /** The words themselves. */
  text: string;
  /** The service's models cite in their text. */
  citations: null;
}

/**
 * Part of an answer.
 *
 * @example
 * ```ts
 * import type { ContentBlock } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const content: ContentBlock[] = [
 *   { type: "thinking", thinking: "A greeting.", signature: "" },
 *   { type: "text", text: "Hello", citations: null },
 * ];
 * const texts = content.flatMap((block) => block.type === "text" ? [block.text] : []);
 * assertEquals(texts, ["Hello"]);
 * ```
 */
export type ContentBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
