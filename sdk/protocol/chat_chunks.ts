/**
 * The events of a streamed chat completion.
 *
 * @module
 */

import type { ChatUsage, FinishReason } from "./chat.ts";
import type { Extensible } from "./extensible.ts";
import type { ServiceMetadata } from "./metadata.ts";
import type { ChunkOrchestration } from "./orchestration.ts";

/**
 * A piece of the function that a tool call names.
 *
 * @example
 * ```ts
 * import type { ToolCallFunctionDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const pieces: ToolCallFunctionDelta[] = [
 *   { name: "get_weather", arguments: "" },
 *   { arguments: '{"city":' },
 *   { arguments: '"Oslo"}' },
 * ];
 * const text = pieces.map((piece) => piece.arguments ?? "").join("");
 * assertEquals(JSON.parse(text), { city: "Oslo" });
 * ```
 */
export interface ToolCallFunctionDelta extends Extensible {
  /** Whole, on the call's first piece. */
  name?: string;
  /** Next piece of the JSON text: pieces are joined in order. */
  arguments?: string;
}

/**
 * A piece of a tool call in a stream.
 *
 * @example
 * ```ts
 * import type { ToolCallDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const pieces: ToolCallDelta[] = [
 *   { index: 0, id: "call_1", type: "function", function: { name: "get_time", arguments: "" } },
 *   { index: 1, id: "call_2", type: "function", function: { name: "get_date", arguments: "" } },
 *   { index: 0, function: { arguments: "{}" } },
 * ];
 * const first = pieces.filter(({ index }) => index === 0);
 * assertEquals(first.map((piece) => piece.function?.arguments).join(""), "{}");
 * ```
 */
export interface ToolCallDelta extends Extensible {
  /** Which call of the message it belongs to: always present, distinct per call, from 0. */
  index: number;
  /** On the call's first piece. */
  id?: string;
  /** On the call's first piece. */
  type?: "function";
  /** What to run, and with what. */
  function?: ToolCallFunctionDelta;
  /** Opaque provider extensions; pieces are merged deeply. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature; a later one replaces an earlier one. */
  thought_signature?: string;
}

/**
 * A piece of a message in a stream.
 *
 * @example
 * ```ts
 * import type { ChatDelta } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const deltas: ChatDelta[] = [{ role: "assistant", content: "" }, { content: "Hel" }, {
 *   content: "lo",
 * }];
 * assertEquals(deltas.map(({ content }) => content ?? "").join(""), "Hello");
 * ```
 */
export interface ChatDelta extends Extensible {
  /** On a choice's first piece. */
  role?: "assistant";
  /** Next piece of the answer's text. */
  content?: string | null;
  /** Next piece of a refusal. */
  refusal?: string | null;
  /** Pieces of tool calls, to be joined by `index`. */
  tool_calls?: ToolCallDelta[];
}

/**
 * A piece of a choice in a stream.
 *
 * @example
 * ```ts
 * import type { ChunkChoice } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const last: ChunkChoice = { index: 0, delta: {}, finish_reason: "stop" };
 * assertEquals([last.delta.content, last.finish_reason], [undefined, "stop"]);
 * ```
 */
export interface ChunkChoice extends Extensible {
  /** Position of the choice that it belongs to, from 0. */
  index: number;
  /** What is new. */
  delta: ChatDelta;
  /** `null` until the choice's last piece. */
  finish_reason: FinishReason | null;
}

/**
 * One event of a streamed answer. `choices` is empty where it carries only usage and metadata.
 *
 * @example
 * ```ts
 * import type { ChatCompletionChunk } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const chunk: ChatCompletionChunk = {
 *   id: "chatcmpl-1",
 *   object: "chat.completion.chunk",
 *   created: 1_772_366_400,
 *   model: "fast-mini",
 *   choices: [],
 *   usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
 * };
 * // The last chunk has no choice to index.
 * assertEquals([chunk.choices[0]?.delta.content, chunk.usage?.total_tokens], [undefined, 10]);
 * ```
 */
export interface ChatCompletionChunk extends Extensible {
  /** The same on every chunk of an answer. */
  id: string;
  /** Tells it from a complete answer. */
  object: "chat.completion.chunk";
  /** Unix time in seconds. */
  created: number;
  /** Catalog id of the model that answers. */
  model: string;
  /** What is new; check the length before indexing. */
  choices: ChunkChoice[];
  /** On the last chunk; absent or `null` before. */
  usage?: ChatUsage | null;
  /** The route and the bill, on the last chunk. */
  metadata?: ServiceMetadata;
  /** Set on chunks of sub-tasks; only the final task's text is the reply. */
  orchestration?: ChunkOrchestration;
}
