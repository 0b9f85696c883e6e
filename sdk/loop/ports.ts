/**
 * The ports of the loop, each as small as possible. The loop itself knows no surface, no network
 * and no clock.
 *
 * @module
 */

import type { ModelEvent } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";
import type { ToolResult } from "./tool_result.ts";
import type { TokenUsage } from "./usage.ts";

/** Input of one turn. */
export interface ModelRequest<S extends LoopShapes> {
  /** The conversation so far, with the declarations of tools and the choice among them. */
  readonly conversation: S["conversation"];
  /** Position of this step in the loop, from 0. */
  readonly step: number;
  /** Aborted when the turn is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * The source of turns: a client of the service, or the gateway's own upstreams.
 *
 * @example
 * ```ts
 * import type { LoopShapes, ModelPort } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const model: ModelPort<LoopShapes> = {
 *   async *turn({ step }) {
 *     const text = `This is turn ${step}`;
 *     yield { type: "text_delta", text };
 *     yield { type: "finish", finishReason: "stop", turn: text };
 *   },
 * };
 * const request = { conversation: [], step: 0, signal: new AbortController().signal };
 * const events = await Array.fromAsync(model.turn(request));
 * assertEquals(events.map(({ type }) => type), ["text_delta", "finish"]);
 * ```
 */
export interface ModelPort<S extends LoopShapes> {
  /**
   * Runs one turn of the model, streamed or not: a whole answer is a few events. Throws on failure.
   * An early return from the iteration must cancel the turn.
   */
  turn(request: ModelRequest<S>): AsyncIterable<ModelEvent<S>>;
}

/**
 * Writes turns into the conversation of one surface. Pure: each method returns a new conversation.
 *
 * @example
 * ```ts
 * import type { ConversationPort, LoopShapes } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * interface Lines extends LoopShapes {
 *   conversation: readonly string[];
 *   turn: string;
 * }
 * const surface: ConversationPort<Lines> = {
 *   withAssistantTurn: (lines, turn) => [...lines, turn],
 *   withToolResults: (lines, results) => [...lines, ...results.map(({ text }) => text)],
 *   withAutoToolChoice: (lines) => lines,
 * };
 * assertEquals(surface.withAssistantTurn(["Hello?"], "Hello"), ["Hello?", "Hello"]);
 * ```
 */
export interface ConversationPort<S extends LoopShapes> {
  /** Appends the assistant's turn with its complete tool calls. */
  withAssistantTurn(conversation: S["conversation"], turn: S["turn"]): S["conversation"];
  /** Appends results of the turn's calls, in call order; never none. */
  withToolResults(
    conversation: S["conversation"],
    results: readonly ToolResult<S>[],
  ): S["conversation"];
  /**
   * Relaxes a forced tool choice to `auto`, and leaves `auto`, `none` and an absent one alone.
   * Called after every turn that called a tool: a choice that stays forced would call tools
   * endlessly.
   */
  withAutoToolChoice(conversation: S["conversation"]): S["conversation"];
  /**
   * False when the next turn cannot call a tool, as none is declared or the choice is `none`: its
   * text is then known to be the answer while it arrives. Absent: every turn may call one.
   */
  mayCallTools?(conversation: S["conversation"]): boolean;
}

/** A refusal of the budget to pay for a further turn. */
export interface BudgetRefusal {
  /** Reason for people, in one sentence. */
  readonly message: string;
  /** Data of the budget for the caller that provided it. */
  readonly detail?: unknown;
}

/** Input of a budget's decision. */
export interface BudgetRequest<S extends LoopShapes> {
  /** The conversation to be sent. */
  readonly conversation: S["conversation"];
  /** Position of the step to be paid for, from 0. */
  readonly step: number;
  /** Usage of the previous steps. */
  readonly usage: TokenUsage;
  /** Aborted when the decision is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Decides before each turn of the model whether it may run.
 *
 * @example
 * ```ts
 * import { type BudgetPort, type LoopShapes, NO_USAGE } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * const budget: BudgetPort<LoopShapes> = {
 *   refuse: ({ usage }) =>
 *     usage.totalTokens < 9_000 ? undefined : { message: "The run has used its tokens" },
 * };
 * const asked = { conversation: [], step: 3, signal: new AbortController().signal };
 * const refusal = await budget.refuse({ ...asked, usage: { ...NO_USAGE, totalTokens: 9_000 } });
 * assertEquals(refusal?.message, "The run has used its tokens");
 * ```
 */
export interface BudgetPort<S extends LoopShapes> {
  /** Returns a refusal, or `undefined` to continue. */
  refuse(request: BudgetRequest<S>): BudgetRefusal | undefined | Promise<BudgetRefusal | undefined>;
}

/**
 * Timers of time limits; a test can replace them.
 *
 * @example
 * ```ts
 * import type { ClockPort } from "@svc/sdk/loop";
 * import { assert } from "@std/assert";
 *
 * // A clock of a test, where every limit is over at once.
 * const clock: ClockPort = {
 *   startTimer(_ms, callback) {
 *     callback();
 *     return () => {};
 *   },
 * };
 * let isOver = false;
 * clock.startTimer(60_000, () => isOver = true);
 * assert(isOver);
 * ```
 */
export interface ClockPort {
  /** Calls back once after that many milliseconds, unless the returned function is called first. */
  startTimer(ms: number, callback: () => void): () => void;
}

/** Longest delay of `setTimeout` in milliseconds; it runs a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The platform's timers.
 *
 * @example A timer that is called off
 * ```ts
 * import { systemClock } from "@svc/sdk/loop";
 * import { assert } from "@std/assert";
 *
 * let isOver = false;
 * const callOff = systemClock.startTimer(60_000, () => isOver = true);
 * callOff();
 * assert(!isOver);
 * ```
 */
export const systemClock: ClockPort = {
  startTimer(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
