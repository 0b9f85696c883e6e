import { Cancellation } from "./cancellation.ts";
import { type LoopOptions, settingsOf } from "./options.ts";
import type { LoopShapes } from "./shapes.ts";
import type { AgentLoop, LoopResult } from "./result.ts";
import { LoopRun } from "./run.ts";

/**
 * Runs a model with tools until it is done or something stops it: turn, tool calls, results, next
 * turn. Nothing runs before the first read, and only the tools of the present turn run ahead of the
 * reader.
 *
 * The loop never throws for a failure of the model, a tool, a port or a hook: its result has the
 * reason (`stoppedBy`) and everything that was complete. Rules:
 *
 * - Calls of one turn run concurrently; their results are yielded and appended in call order, each
 *   once. A tool that is unknown, throws, takes too long or gets invalid JSON gives an error result
 *   that the model reads, and the loop continues.
 * - A call of one of `manualTools` is returned to the caller (`tool_calls`). When a turn mixes both
 *   kinds, the other calls run first and their results are in the conversation; the caller appends
 *   only the results of `pendingCalls`.
 * - `onTextDelta` receives the text of the final answer alone; text beside tool calls goes to
 *   `onIntermediateText`. The events carry all text as it arrives.
 * - An early return from the generator, also while its next event is awaited, cancels the model and
 *   all tools at once.
 *
 * @throws {RangeError} A limit is not a positive integer, or a time not a number.
 * @throws {TypeError} Two tools have the same name.
 *
 * @example The events of a run, and its result
 * ```ts
 * import { agentLoop, type ConversationPort, type ModelPort } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * // A surface of plain lines, and a model that asks for a sum and then tells it.
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
 *   async *turn({ conversation, step }) {
 *     const raw = `call add {"a":1,"b":2}`;
 *     if (step === 0) {
 *       yield { type: "tool_call", call: { id: "1", name: "add", arguments: raw.slice(9), raw } };
 *       return yield { type: "finish", finishReason: "tool_calls", turn: raw };
 *     }
 *     const text = `It is ${conversation.at(-1)}`;
 *     yield { type: "text_delta", text };
 *     yield { type: "finish", finishReason: "stop", turn: text };
 *   },
 * };
 * const add = {
 *   name: "add",
 *   parameters: { type: "object" },
 *   execute: (input: unknown) => Object(input).a + Object(input).b,
 * };
 *
 * const loop = agentLoop({ conversation: ["1 + 2?"], surface, model, tools: [add] });
 * const seen: string[] = [];
 * let next = await loop.next();
 * for (; !next.done; next = await loop.next()) seen.push(next.value.type);
 *
 * assertEquals(seen, [
 *   ...["step_start", "tool_call", "finish", "tool_result", "step"],
 *   ...["step_start", "text_delta", "finish", "step"],
 * ]);
 * assertEquals(next.value.stoppedBy, "finish");
 * assertEquals(next.value.finalText, "It is 3");
 * assertEquals(next.value.conversation.length, 4);
 * ```
 */
export function agentLoop<S extends LoopShapes>(options: LoopOptions<S>): AgentLoop<S> {
  const settings = settingsOf(options);
  const cancellation = new Cancellation();
  const run = new LoopRun({ settings, cancellation });
  const steps = run.steps();
  // A bare generator receives return() only between two events: while a model is silent or a tool
  // runs, it would go on. Here the model and the tools are cancelled first.
  return {
    next: () => steps.next(),
    return: (value) => {
      cancellation.cancel(new DOMException("The reader ended the loop", "AbortError"));
      return steps.return(value);
    },
    throw: async (error) => {
      cancellation.cancel(error);
      return await steps.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      const error = new DOMException("The loop was disposed of", "AbortError");
      cancellation.cancel(error);
      await steps.return(run.result({ stoppedBy: "aborted", error }));
    },
  };
}

/**
 * Runs a loop to its end and returns its result: the loop without streaming.
 *
 * @example
 * ```ts
 * import { agentLoop, type ConversationPort, drain, type ModelPort } from "@svc/sdk/loop";
 * import { assertEquals } from "@std/assert";
 *
 * interface Lines {
 *   conversation: readonly string[];
 *   turn: string;
 *   call: never;
 *   chunk: never;
 * }
 * const surface: ConversationPort<Lines> = {
 *   withAssistantTurn: (lines, turn) => [...lines, turn],
 *   withToolResults: (lines) => lines,
 *   withAutoToolChoice: (lines) => lines,
 * };
 * const model: ModelPort<Lines> = {
 *   async *turn() {
 *     yield { type: "text_delta", text: "Hello" };
 *     yield { type: "finish", finishReason: "stop", turn: "Hello" };
 *   },
 * };
 *
 * const { finalText } = await drain(agentLoop({ conversation: ["Hi"], surface, model }));
 * assertEquals(finalText, "Hello");
 * ```
 */
export async function drain<S extends LoopShapes>(loop: AgentLoop<S>): Promise<LoopResult<S>> {
  for (;;) {
    const next = await loop.next();
    if (next.done) return next.value;
  }
}
