/**
 * What a model tells while a turn runs, in words of no provider.
 *
 * @module
 */

import type { LoopShapes } from "./shapes.ts";
import type { TokenUsage } from "./usage.ts";

/** A tool call, complete. */
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
 */
export type TurnFinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";

/** A piece of the answer's text. Text that is not part of the reply travels in `chunk` alone. */
export interface TextDeltaEvent {
  /** Tells the kinds of events apart. */
  readonly type: "text_delta";
  /** The next piece. */
  readonly text: string;
}

/** A piece of the model's reasoning, where the provider shows it. */
export interface ReasoningDeltaEvent {
  /** Tells the kinds of events apart. */
  readonly type: "reasoning_delta";
  /** The next piece. */
  readonly text: string;
}

/** A piece of a tool call that is not complete yet; for display alone. */
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

/** A tool call is complete. It runs when the turn is. */
export interface ToolCallEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "tool_call";
  /** The call. */
  readonly call: LoopToolCall<S>;
}

/** What the turn has used; a later one of the same turn replaces it. */
export interface UsageEvent {
  /** Tells the kinds of events apart. */
  readonly type: "usage";
  /** Of this turn alone. */
  readonly usage: TokenUsage;
}

/** A raw chunk, untouched, for whoever passes the stream on. */
export interface ChunkEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "chunk";
  /** As it came. */
  readonly chunk: S["chunk"];
}

/** The turn is complete. A turn without it was cut and is an error; usage may still follow it. */
export interface FinishEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "finish";
  /** Why it ended. */
  readonly finishReason: TurnFinishReason;
  /** The assistant turn that the conversation goes on with. */
  readonly turn: S["turn"];
}

/** What a model port tells while a turn runs. The loop yields each on, as it is. */
export type ModelEvent<S extends LoopShapes> =
  | TextDeltaEvent
  | ReasoningDeltaEvent
  | ToolCallDeltaEvent
  | ToolCallEvent<S>
  | UsageEvent
  | ChunkEvent<S>
  | FinishEvent<S>;
