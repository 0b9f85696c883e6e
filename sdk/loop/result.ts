import type { LoopToolCall, ModelEvent, TurnFinishReason } from "./model_events.ts";
import type { BudgetRefusal } from "./ports.ts";
import type { LoopShapes } from "./shapes.ts";
import type { ToolResult } from "./tool_result.ts";
import type { TokenUsage } from "./usage.ts";

/**
 * Reasons for the end of a loop:
 *
 * - `finish`: the model ended a turn without calling a tool. Only then is there a final text;
 *   `finishReason` tells whether it is whole (`stop`).
 * - `tool_calls`: the model called tools that the caller runs itself; they are in `pendingCalls`.
 * - `stop_when`: the caller's condition held.
 * - `max_steps`: the bound on turns was reached before the model was done.
 * - `budget`: the budget refused the next turn; see `refusal`.
 * - `aborted`: the signal ended it; its reason is in `error`.
 * - `error`: a turn, a port or a hook failed; see `error`.
 */
export type StoppedBy =
  | "finish"
  | "tool_calls"
  | "stop_when"
  | "max_steps"
  | "budget"
  | "aborted"
  | "error";

/** A turn of the model as far as it came, with the results of its calls so far. */
export interface PartialStep<S extends LoopShapes> {
  /** Position in the loop, from 0. */
  readonly index: number;
  /** The turn's text. */
  readonly text: string;
  /** The turn's reasoning, when the provider shows it. */
  readonly reasoning: string;
  /** The tool calls of the turn, in order. */
  readonly calls: readonly LoopToolCall<S>[];
  /** Their results, in the same order; none for calls of the caller's own tools. */
  readonly results: readonly ToolResult<S>[];
  /** Usage of the turn; absent when it was not reported. */
  readonly usage?: TokenUsage | undefined;
}

/** One complete turn of the model, and the results of its tool calls. */
export interface Step<S extends LoopShapes> extends PartialStep<S> {
  /**
   * Reason for the end of the turn; never `stop` for a turn that called tools, whatever the
   * provider reported.
   */
  readonly finishReason: TurnFinishReason;
  /** The turn in the surface's shape. */
  readonly turn: S["turn"];
}

/** The result of a loop, also of one that failed. */
export interface LoopResult<S extends LoopShapes> {
  /** Reason for the end. */
  readonly stoppedBy: StoppedBy;
  /** Text of the last turn when `stoppedBy` is `finish`, else empty. */
  readonly finalText: string;
  /** Reason for the end of the last complete turn; absent when there was none. */
  readonly finishReason?: TurnFinishReason | undefined;
  /**
   * The conversation with every complete step appended. It advances by whole steps: a turn that
   * failed is not in it, so that it can always be sent again.
   */
  readonly conversation: S["conversation"];
  /** The complete steps, in order. */
  readonly steps: readonly Step<S>[];
  /** Sum of all steps and of the unfinished one, as reported. */
  readonly usage: TokenUsage;
  /** Calls for the caller to answer, in call order; else empty. */
  readonly pendingCalls: readonly LoopToolCall<S>[];
  /** The turn that `error` or `aborted` cut, as far as it came. */
  readonly unfinished?: PartialStep<S> | undefined;
  /** Present where `stoppedBy` is `budget`. */
  readonly refusal?: BudgetRefusal | undefined;
  /** The thrown value or the signal's reason; present when `stoppedBy` is `error` or `aborted`. */
  readonly error?: unknown;
}

/** A turn is about to start: all events until the next `step_start` belong to it. */
export interface StepStartEvent {
  /** Kind of the event. */
  readonly type: "step_start";
  /** Position in the loop, from 0. */
  readonly step: number;
}

/** A tool call has its result. Results come in call order, whichever is done first. */
export interface ToolResultEvent<S extends LoopShapes> {
  /** Kind of the event. */
  readonly type: "tool_result";
  /** The result. */
  readonly result: ToolResult<S>;
}

/** A step is complete. */
export interface StepEvent<S extends LoopShapes> {
  /** Kind of the event. */
  readonly type: "step";
  /** The step. */
  readonly step: Step<S>;
}

/** An event of a running loop: the model's events unchanged, and the loop's own between them. */
export type LoopEvent<S extends LoopShapes> =
  | ModelEvent<S>
  | StepStartEvent
  | ToolResultEvent<S>
  | StepEvent<S>;

/** A running loop: an async generator of its events that returns its result. */
export type AgentLoop<S extends LoopShapes> = AsyncGenerator<LoopEvent<S>, LoopResult<S>, void>;
