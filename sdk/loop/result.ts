import type { LoopToolCall, ModelEvent, TurnFinishReason } from "./model_events.ts";
import type { BudgetRefusal, LoopShapes } from "./ports.ts";
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
 *
 * @example
 * ```ts
 * import type { StoppedBy } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const isAnswer = (stoppedBy: StoppedBy) => stoppedBy === "finish";
 * assertEquals([isAnswer("finish"), isAnswer("max_steps")], [true, false]);
 * ```
 */
export type StoppedBy =
  | "finish"
  | "tool_calls"
  | "stop_when"
  | "max_steps"
  | "budget"
  | "aborted"
  | "error";

/**
 * A turn of the model as far as it came, with the results that its calls have.
 *
 * @example
 * ```ts
 * import type { LoopShapes, PartialStep } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const cut: PartialStep<LoopShapes> = {
 *   index: 1,
 *   text: "It is 39",
 *   reasoning: "",
 *   calls: [],
 *   results: [],
 * };
 * assertEquals([cut.text, cut.usage], ["It is 39", undefined]);
 * ```
 */
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

/**
 * One complete turn of the model, and the results of its tool calls.
 *
 * @example
 * ```ts
 * import type { LoopShapes, Step } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const steps: Step<LoopShapes>[] = [{
 *   index: 0,
 *   text: "It is 391",
 *   reasoning: "",
 *   calls: [],
 *   results: [],
 *   finishReason: "stop",
 *   turn: undefined,
 * }];
 * assertEquals(steps.at(-1)?.finishReason, "stop");
 * ```
 */
export interface Step<S extends LoopShapes> extends PartialStep<S> {
  /** Why the turn ended; never `stop` where it called tools, whatever its provider said. */
  readonly finishReason: TurnFinishReason;
  /** The turn, as the surface has it. */
  readonly turn: S["turn"];
}

/**
 * What a loop came to; also what it had when it failed.
 *
 * @example
 * ```ts
 * import { type LoopResult, type LoopShapes, NO_USAGE } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * function told({ stoppedBy, finalText, error }: LoopResult<LoopShapes>): string {
 *   return stoppedBy === "finish" ? finalText : `${stoppedBy}: ${error ?? "no error"}`;
 * }
 * const result: LoopResult<LoopShapes> = {
 *   stoppedBy: "max_steps",
 *   finalText: "",
 *   conversation: [],
 *   steps: [],
 *   pendingCalls: [],
 *   usage: NO_USAGE,
 * };
 * assertEquals(told(result), "max_steps: no error");
 * ```
 */
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

/**
 * A turn is about to be asked for: everything until the next `step_start` belongs to it.
 *
 * @example
 * ```ts
 * import type { StepStartEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const event: StepStartEvent = { type: "step_start", step: 0 };
 * assertEquals(`Turn ${event.step + 1}`, "Turn 1");
 * ```
 */
export interface StepStartEvent {
  /** Tells the kinds of events apart. */
  readonly type: "step_start";
  /** Position in the loop, from 0. */
  readonly step: number;
}

/**
 * A tool call has its result. They come in call order, whichever is done first.
 *
 * @example
 * ```ts
 * import type { LoopShapes, ToolResultEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const call = { id: "call_1", name: "get_time", arguments: "", raw: undefined };
 * const event: ToolResultEvent<LoopShapes> = {
 *   type: "tool_result",
 *   result: { call, isError: false, text: "12:00", isCut: false, output: "12:00" },
 * };
 * assertEquals(`${event.result.call.name}: ${event.result.text}`, "get_time: 12:00");
 * ```
 */
export interface ToolResultEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "tool_result";
  /** The result. */
  readonly result: ToolResult<S>;
}

/**
 * A step is complete.
 *
 * @example
 * ```ts
 * import type { LoopShapes, StepEvent } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const event: StepEvent<LoopShapes> = {
 *   type: "step",
 *   step: {
 *     index: 0,
 *     text: "Hello",
 *     reasoning: "",
 *     calls: [],
 *     results: [],
 *     finishReason: "stop",
 *     turn: undefined,
 *   },
 * };
 * assertEquals([event.step.index, event.step.text], [0, "Hello"]);
 * ```
 */
export interface StepEvent<S extends LoopShapes> {
  /** Tells the kinds of events apart. */
  readonly type: "step";
  /** The step. */
  readonly step: Step<S>;
}

/**
 * What a loop tells while it runs: the model's own events as they are, and its own between them.
 *
 * @example
 * ```ts
 * import type { LoopEvent, LoopShapes } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const events: LoopEvent<LoopShapes>[] = [
 *   { type: "step_start", step: 0 },
 *   { type: "text_delta", text: "Hello" },
 *   { type: "finish", finishReason: "stop", turn: "Hello" },
 * ];
 * let text = "";
 * for (const event of events) if (event.type === "text_delta") text += event.text;
 * assertEquals(text, "Hello");
 * ```
 */
export type LoopEvent<S extends LoopShapes> =
  | ModelEvent<S>
  | StepStartEvent
  | ToolResultEvent<S>
  | StepEvent<S>;

/**
 * A running loop: an async generator of its events that returns its result.
 *
 * @example
 * ```ts
 * import { type AgentLoop, agentLoop, type LoopShapes } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * async function textOf(loop: AgentLoop<LoopShapes>): Promise<string> {
 *   let text = "";
 *   for await (const event of loop) if (event.type === "text_delta") text += event.text;
 *   return text;
 * }
 * const loop = agentLoop<LoopShapes>({
 *   conversation: [],
 *   surface: {
 *     withAssistantTurn: (conversation) => conversation,
 *     withToolResults: (conversation) => conversation,
 *     withAutoToolChoice: (conversation) => conversation,
 *   },
 *   model: {
 *     async *turn() {
 *       yield { type: "text_delta", text: "Hello" };
 *       yield { type: "finish", finishReason: "stop", turn: "Hello" };
 *     },
 *   },
 * });
 * assertEquals(await textOf(loop), "Hello");
 * ```
 */
export type AgentLoop<S extends LoopShapes> = AsyncGenerator<LoopEvent<S>, LoopResult<S>, void>;
