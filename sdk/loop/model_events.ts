/**
 * What a model tells while a turn runs, in words of no provider.
 *
 * @module
 */

import type { LoopShapes } from "./ports.ts";
import type { TokenUsage } from "./usage.ts";

/**
 * A tool call, complete.
 *
 * @example
 * ```ts
 * import type { LoopShapes, LoopToolCall } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const call: LoopToolCall<LoopShapes> = {
 *   id: "call_1",
 *   name: "get_weather",
 *   arguments: '{"city":"Oslo"}',
 *   raw: { id: "call_1", type: "function", thought_signature: "CiQB" },
 * };
 * assertEquals(JSON.parse(call.arguments || "{}"), { city: "Oslo" });
 * ```
 */
export interface LoopToolCall<S extends LoopShapes> {
  /** The model's own id of it, or empty; models do repeat them, so the loop goes by position. */
  readonly id: string;
  /** The function it names; models do invent some. */
  readonly name: string;
  /** The input as JSON text, as the model wrote it; empty text means an empty object. */
  readonly arguments: string;
  /** The whole call as it came: what a continuation turn echoes. */
  readonly raw: S["call"];
}

/**
 * Why a turn ended, in words of no provider. `length` and `content_filter` mean that the text is cut
 * short; `other` is what nobody here knows.
 *
 * @example
 * ```ts
 * import type { TurnFinishReason } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const isCut = (reason: TurnFinishReason) => reason === "length" || reason === "content_filter";
 * assertEquals([isCut("length"), isCut("stop")], [true, false]);
 * ```
 */
export type TurnFinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";

/**
 * A piece of the answer's text. Text that is not part of the reply travels in `chunk` alone.
 *
 * @example
 * ```ts
 * import type { TextDeltaEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const events: TextDeltaEvent[] = [
 *   { type: "text_delta", text: "Hel" },
 *   { type: "text_delta", text: "lo" },
 * ];
 * assertEquals(events.map(({ text }) => text).join(""), "Hello");
 * ```
 */
export interface TextDeltaEvent {
  /** Tells the kinds of events apart. */
  readonly type: "text_delta";
  /** The next piece. */
  readonly text: string;
}

/**
 * A piece of the model's reasoning, where the provider shows it.
 *
 * @example
 * ```ts
 * import type { ReasoningDeltaEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ReasoningDeltaEvent = { type: "reasoning_delta", text: "A greeting." };
 * assertEquals(event.text, "A greeting.");
 * ```
 */
export interface ReasoningDeltaEvent {
  /** Tells the kinds of events apart. */
  readonly type: "reasoning_delta";
  /** The next piece. */
  readonly text: string;
}

/**
 * A piece of a tool call that is not complete yet; for display alone.
 *
 * @example
 * ```ts
 * import type { ToolCallDeltaEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const events: ToolCallDeltaEvent[] = [
 *   { type: "tool_call_delta", index: 0, id: "call_1", name: "get_weather", arguments: "" },
 *   { type: "tool_call_delta", index: 0, arguments: '{"city":' },
 * ];
 * assertEquals(events.map((event) => event.arguments).join(""), '{"city":');
 * ```
 */
export interface ToolCallDeltaEvent {
  /** Tells the kinds of events apart. */
  readonly type: "tool_call_delta";
  /** Which call of the turn, from 0. */
  readonly index: number;
  /** The call's id, where this piece has it. */
  readonly id?: string | undefined;
  /** The function's name, where this piece has it. */
  readonly name?: string | undefined;
  /** The next piece of the JSON text. */
  readonly arguments: string;
}

/**
 * A tool call is complete. It runs when the turn is.
 *
 * @example
 * ```ts
 * import type { LoopShapes, ToolCallEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const event: ToolCallEvent<LoopShapes> = {
 *   type: "tool_call",
 *   call: { id: "call_1", name: "get_time", arguments: "", raw: undefined },
 * };
 * assertEquals(event.call.name, "get_time");
 * ```
 */
export interface ToolCallEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "tool_call";
  /** The call. */
  readonly call: LoopToolCall<S>;
}

/**
 * What the turn has used; a later one of the same turn replaces it.
 *
 * @example
 * ```ts
 * import { NO_USAGE, type UsageEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const event: UsageEvent = {
 *   type: "usage",
 *   usage: { ...NO_USAGE, inputTokens: 12, outputTokens: 30, totalTokens: 42 },
 * };
 * assertEquals(event.usage.totalTokens, 42);
 * ```
 */
export interface UsageEvent {
  /** Tells the kinds of events apart. */
  readonly type: "usage";
  /** Of this turn alone. */
  readonly usage: TokenUsage;
}

/**
 * A raw chunk, untouched, for whoever passes the stream on.
 *
 * @example
 * ```ts
 * import type { ChunkEvent, LoopShapes } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * interface Lines extends LoopShapes {
 *   chunk: string;
 * }
 * const event: ChunkEvent<Lines> = { type: "chunk", chunk: 'data: {"choices":[]}' };
 * assertEquals(event.chunk.slice(0, 6), "data: ");
 * ```
 */
export interface ChunkEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "chunk";
  /** As it came. */
  readonly chunk: S["chunk"];
}

/**
 * The turn is complete. A turn without it was cut and is an error; usage may still follow it.
 *
 * @example
 * ```ts
 * import type { FinishEvent, LoopShapes } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const event: FinishEvent<LoopShapes> = { type: "finish", finishReason: "stop", turn: "Hello" };
 * assertEquals(event.finishReason, "stop");
 * ```
 */
export interface FinishEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "finish";
  /** Why it ended. */
  readonly finishReason: TurnFinishReason;
  /** The assistant turn that the conversation goes on with. */
  readonly turn: S["turn"];
}

/**
 * What a model port tells while a turn runs. The loop yields each on, as it is.
 *
 * @example
 * ```ts
 * import type { LoopShapes, ModelEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const events: ModelEvent<LoopShapes>[] = [
 *   { type: "text_delta", text: "Hello" },
 *   { type: "finish", finishReason: "stop", turn: "Hello" },
 * ];
 * const text = events.map((event) => event.type === "text_delta" ? event.text : "").join("");
 * assertEquals(text, "Hello");
 * ```
 */
export type ModelEvent<S extends LoopShapes> =
  | TextDeltaEvent
  | ReasoningDeltaEvent
  | ToolCallDeltaEvent
  | ToolCallEvent<S>
  | UsageEvent
  | ChunkEvent<S>
  | FinishEvent<S>;
