/**
 * Content of messages of the Anthropic-compatible surface.
 *
 * Shapes follow Anthropic's public API reference; type tests hold them against the types of the
 * `@anthropic-ai/sdk` package. None of them travels to the service: the client library converts
 * them to and from Chat Completions.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type { Base64Source, OtherSource, PlainTextSource, UrlSource } from "./messages_sources.ts";

/** A mark up to which the provider may cache the request. */
export interface CacheControl extends Extensible {
  /** The only kind. */
  type: "ephemeral";
  /** Lifetime in the cache. @default {"5m"} */
  ttl?: "5m" | "1h";
}

/** Text that an application writes. */
export interface TextBlockParam extends Extensible {
  /** Kind of the block. */
  type: "text";
  /** The text. */
  text: string;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/** An image that the model sees. */
export interface ImageBlockParam extends Extensible {
  /** Kind of the block. */
  type: "image";
  /** Its bytes, or its address. */
  source: Base64Source | UrlSource | OtherSource;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/** A document that is made of blocks. */
export interface ContentSource extends Extensible {
  /** Kind of the source. */
  type: "content";
  /** Text, or blocks of text and images. */
  content: string | ContentBlockParam[];
}

/** A document that the model reads. */
export interface DocumentBlockParam extends Extensible {
  /** Kind of the block. */
  type: "document";
  /** The bytes or the address of a PDF, or text. */
  source: Base64Source | PlainTextSource | ContentSource | UrlSource | OtherSource;
  /** Its name. */
  title?: string | null;
  /** Notes for the model about the document. */
  context?: string | null;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/** A model's reasoning before its answer. */
export interface ThinkingBlock extends Extensible {
  /** Kind of the block. */
  type: "thinking";
  /** The reasoning, where its provider shows it. */
  thinking: string;
  /** Opaque; empty where the provider signs tool calls, or nothing. */
  signature: string;
}

/** Reasoning that its provider does not show. */
export interface RedactedThinkingBlock extends Extensible {
  /** Kind of the block. */
  type: "redacted_thinking";
  /** Opaque. */
  data: string;
}

/** A tool call as applications write it. */
export interface ToolUseBlockParam extends Extensible {
  /** Kind of the block. */
  type: "tool_use";
  /** Id of the call; the `tool_result` block repeats it as `tool_use_id`. */
  id: string;
  /** Name of a declared tool; models do invent others. */
  name: string;
  /** The input: an object. */
  input: unknown;
  /**
   * The input's JSON text as the model wrote it, where `input` written again would be another text.
   * It is sent back to the model as long as `input` is unchanged.
   */
  arguments?: string;
  /** Opaque provider extensions, preserved byte for byte. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature of some providers, preserved byte for byte. */
  thought_signature?: string;
}

/**
 * A tool call of a model. Send it back whole on the continuation turn: `extra_content` and
 * `thought_signature` are opaque to all but the provider that wrote them.
 */
export interface ToolUseBlock extends ToolUseBlockParam {
  /** The caller of the tool: always the model itself. */
  caller: {
    /** There is no other caller. */
    type: "direct";
  };
}

/** The result of a tool call. */
export interface ToolResultBlockParam extends Extensible {
  /** Kind of the block. */
  type: "tool_result";
  /** The call that it answers. */
  tool_use_id: string;
  /** Text, or blocks of text, images and documents; absent: nothing to say. */
  content?: string | ContentBlockParam[];
  /** True when the tool failed; the content describes the failure. */
  is_error?: boolean;
  /** Marks the end of what a cache may keep. */
  cache_control?: CacheControl | null;
}

/** A block of a kind not modelled here. */
export interface OtherBlockParam extends Extensible {
  /** Its kind. */
  type: string;
}

/** Part of a message that an application writes. */
export type ContentBlockParam =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlockParam
  | ToolResultBlockParam
  | OtherBlockParam;

/** Text that a model writes. */
export interface TextBlock extends Extensible {
  /** Kind of the block. */
  type: "text";
  /** The text. */
  text: string;
  /** The service's models cite in their text. */
  citations: null;
}

/** Part of an answer. */
export type ContentBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
