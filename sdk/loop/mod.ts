/**
 * The one agent loop: a model, its tools, and the steps from turn to turn, as an async generator.
 *
 * {@linkcode agentLoop} yields every event and returns the result; {@linkcode drain} runs it for
 * the result alone. It depends on no wire shape, no network and no clock: a surface provides a
 * {@linkcode ModelPort} and a {@linkcode ConversationPort} of a few lines each.
 *
 * @example A tool that keeps failing is news for the model; the bound on steps ends the loop
 * ```ts
 * import { agentLoop, type ConversationPort, drain, type ModelPort } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * interface Lines {
 *   conversation: readonly string[];
 *   turn: string;
 *   call: string;
 *   chunk: never;
 * }
 * const surface: ConversationPort<Lines> = {
 *   withAssistantTurn: (lines, turn) => [...lines, turn],
 *   withToolResults: (lines, results) => [...lines, ...results.map(({ text }) => text)],
 *   withAutoToolChoice: (lines) => lines,
 * };
 * const model: ModelPort<Lines> = {
 *   async *turn({ step }) {
 *     const call = { id: `call_${step}`, name: "weather", arguments: "", raw: "weather()" };
 *     yield { type: "tool_call", call };
 *     yield { type: "finish", finishReason: "tool_calls", turn: "weather()" };
 *   },
 * };
 *
 * const loop = agentLoop({ conversation: ["Rain?"], surface, model, maxSteps: 2 });
 * const { stoppedBy, finalText, steps } = await drain(loop);
 *
 * assertEquals([stoppedBy, finalText, steps.length], ["max_steps", "", 2]);
 * assertEquals(steps[0]?.results[0]?.output, {
 *   error: { code: "tool_handler_not_found", message: 'There is no handler for a tool named "weather"' },
 * });
 * ```
 *
 * @module
 */

export type { Tool, ToolContext, ToolExecute } from "@svc/tools";
export { agentLoop, drain } from "./loop.ts";
export type { LoopLimits, LoopOptions, StepPreparation } from "./options.ts";
export * from "./model_events.ts";
export * from "./ports.ts";
export * from "./result.ts";
export type { LoopShapes } from "./shapes.ts";
export type { ToolErrorCode, ToolResult } from "./tool_result.ts";
export { addUsage, NO_USAGE, type TokenUsage } from "./usage.ts";
