/**
 * Events of a model's turn, independent of any provider.
 *
 * @module
 */

import type { LoopShapes } from "./shapes.ts";
import type { TokenUsage } from "./usage.ts";

/** A complete tool call. */
export interface LoopToolCall<S extends LoopShapes> {
  /**
   * The model's own id of the call, or empty. Models do repeat ids, so the loop identifies calls by
   * position.
   */
  readonly id: string;
  /** Name of the function; models do invent names. */
  readonly name: string;
  /** The input as JSON text, as the model wrote it; empty text means an empty object. */
  readonly arguments: string;
  /** The complete call as received; a continuation turn sends it back. */
  readonly raw: S["call"];
}

/**
 * Reason for the end of a turn, independent of any provider. `length` and `content_filter` mean
 * that the text is cut short; `other` is a reason that this package does not know.
 */
export type TurnFinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";

/** A piece of the answer's text. Text that is not part of the reply travels in `chunk` alone. */
export interface TextDeltaEvent {
  /** Kind of the event. */
  readonly type: "text_delta";
  /** The next piece. */
  readonly text: string;
}

/** A piece of the model's reasoning, where the provider shows it. */
export interface ReasoningDeltaEvent {
  /** Kind of the event. */
  readonly type: "reasoning_delta";
  /** The next piece. */
  readonly text: string;
}

/** A piece of a tool call that is not complete yet; for display alone. */
export interface ToolCallDeltaEvent {
  /** Kind of the event. */
  readonly type: "tool_call_delta";
  /** Position of the call in the turn, from 0. */
  readonly index: number;
  /** The call's id, where this piece has it. */
  readonly id?: string | undefined;
  /** The function's name, where this piece has it. */
  readonly name?: string | undefined;
  /** The next piece of the JSON text. */
  readonly arguments: string;
}

/** A tool call is complete. It runs once the turn is complete. */
export interface ToolCallEvent<S extends LoopShapes> {
  /** Kind of the event. */
  readonly type: "tool_call";
  /** The call. */
  readonly call: LoopToolCall<S>;
}

/** The turn's usage; a later event of the same turn replaces it. */
export interface UsageEvent {
  /** Kind of the event. */
  readonly type: "usage";
  /** Usage of this turn alone. */
  readonly usage: TokenUsage;
}

/** A raw chunk, untouched, for callers that forward the stream. */
export interface ChunkEvent<S extends LoopShapes> {
  /** Kind of the event. */
  readonly type: "chunk";
  /** The chunk as received. */
  readonly chunk: S["chunk"];
}

/** The turn is complete. A turn without it was cut and is an error; usage may still follow it. */
export interface FinishEvent<S extends LoopShapes> {
  /** Kind of the event. */
  readonly type: "finish";
  /** Reason for the end. */
  readonly finishReason: TurnFinishReason;
  /** The assistant turn that the conversation continues with. */
  readonly turn: S["turn"];
}

/** An event of a model port's turn. The loop yields each one unchanged. */
export type ModelEvent<S extends LoopShapes> =
  | TextDeltaEvent
  | ReasoningDeltaEvent
  | ToolCallDeltaEvent
  | ToolCallEvent<S>
  | UsageEvent
  | ChunkEvent<S>
  | FinishEvent<S>;
