import type { LoopToolCall, ModelEvent, TurnFinishReason } from "./model_events.ts";
import type { BudgetRefusal } from "./ports.ts";
import type { LoopShapes } from "./shapes.ts";
import type { ToolResult } from "./tool_result.ts";
import type { TokenUsage } from "./usage.ts";

/**
 * Why a loop ended:
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

/** A turn of the model as far as it came, with the results that its calls have. */
export interface PartialStep<S extends LoopShapes> {
  /** Position in the loop, from 0. */
  readonly index: number;
  /** The turn's text. */
  readonly text: string;
  /** The turn's reasoning, where the provider shows it. */
  readonly reasoning: string;
  /** The tool calls that it made, in order. */
  readonly calls: readonly LoopToolCall<S>[];
  /** Their results, in the same order; none for calls of the caller's own tools. */
  readonly results: readonly ToolResult<S>[];
  /** What the turn used; absent where it was not reported. */
  readonly usage?: TokenUsage | undefined;
}

/** One complete turn of the model, and the results of its tool calls. */
export interface Step<S extends LoopShapes> extends PartialStep<S> {
  /** Why the turn ended; never `stop` where it called tools, whatever its provider said. */
  readonly finishReason: TurnFinishReason;
  /** The turn, as the surface has it. */
  readonly turn: S["turn"];
}

/** What a loop came to; also what it had when it failed. */
export interface LoopResult<S extends LoopShapes> {
  /** Why it ended. */
  readonly stoppedBy: StoppedBy;
  /** The answer: text of the last turn where `stoppedBy` is `finish`, else empty. */
  readonly finalText: string;
  /** Why the last complete turn ended; absent where there was none. */
  readonly finishReason?: TurnFinishReason | undefined;
  /**
   * The conversation with every complete step appended. It moves on by whole steps: a turn that
   * failed is not in it, so that it can always be sent again.
   */
  readonly conversation: S["conversation"];
  /** The complete steps, in order. */
  readonly steps: readonly Step<S>[];
  /** Sum over the steps, and over what an unfinished one reported. */
  readonly usage: TokenUsage;
  /** Calls handed back, in call order: to be answered by the caller. Else empty. */
  readonly pendingCalls: readonly LoopToolCall<S>[];
  /** The turn that was cut by `error` or `aborted`, as far as it came. */
  readonly unfinished?: PartialStep<S> | undefined;
  /** Present where `stoppedBy` is `budget`. */
  readonly refusal?: BudgetRefusal | undefined;
  /** What was thrown, or the signal's reason; present where `stoppedBy` is `error` or `aborted`. */
  readonly error?: unknown;
}

/** A turn is about to be asked for: everything until the next `step_start` belongs to it. */
export interface StepStartEvent {
  /** Tells the kinds of events apart. */
  readonly type: "step_start";
  /** Position in the loop, from 0. */
  readonly step: number;
}

/** A tool call has its result. They come in call order, whichever is done first. */
export interface ToolResultEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "tool_result";
  /** The result. */
  readonly result: ToolResult<S>;
}

/** A step is complete. */
export interface StepEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "step";
  /** The step. */
  readonly step: Step<S>;
}

/**
 * What a loop tells while it runs: the model's own events as they are, and its own between them.
 */
export type LoopEvent<S extends LoopShapes> =
  | ModelEvent<S>
  | StepStartEvent
  | ToolResultEvent<S>
  | StepEvent<S>;

/** A running loop: an async generator of its events that returns its result. */
export type AgentLoop<S extends LoopShapes> = AsyncGenerator<LoopEvent<S>, LoopResult<S>, void>;
