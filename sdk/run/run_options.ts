import type { CallOptions } from "../call.ts";
import type { LoopOptions, LoopShapes } from "../loop/mod.ts";
import { checkOptions, type OptionKinds } from "../option_kinds.ts";
import type { RegisteredTools } from "../toolbox/selection.ts";
import type { OnTask } from "./tasks.ts";

/** The options of the loop that a caller sets. */
export type LoopChoices<S extends LoopShapes> = Pick<
  LoopOptions<S>,
  | "maxSteps"
  | "maxToolCallsPerStep"
  | "maxParallelToolCalls"
  | "maxArgumentChars"
  | "maxResultChars"
  | "toolTimeoutMs"
  | "manualTools"
  | "budget"
  | "stopWhen"
  | "prepareStep"
  | "onTextDelta"
  | "onIntermediateText"
  | "onToolResult"
  | "onStep"
>;

/**
 * Options of a run.
 *
 * `tools` and `toolHandlers` are registered for this run, beside the client's; of two of one name the
 * run's own counts. Tools in the request itself are declared to the model and nothing more.
 *
 * @example
 * ```ts
 * import type { ChatShapes, RunOptions } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const options: RunOptions<ChatShapes> = {
 *   maxSteps: 3,
 *   toolHandlers: { get_time: () => "12:00" },
 *   stopWhen: (steps) => steps.some(({ calls }) => calls.some(({ name }) => name === "submit")),
 * };
 * assertEquals(await options.stopWhen?.([]), false);
 * ```
 */
export interface RunOptions<S extends LoopShapes>
  extends CallOptions, RegisteredTools, LoopChoices<S> {
  /**
   * Receives the tasks of a request that the service splits: their starts, text and ends, before
   * the event that carries them is yielded. Only streams carry them.
   */
  readonly onTask?: OnTask | undefined;
}

/** Options of one request, without the loop's. */
export const CALL_KINDS: OptionKinds<CallOptions> = {
  requestId: "text",
  signal: "signal",
  timeoutMs: "number",
  auto: "record",
  tags: "record",
};

const RUN: OptionKinds<RunOptions<LoopShapes>> = {
  ...CALL_KINDS,
  ...{ tools: "anything", toolHandlers: "record", maxSteps: "number" },
  ...{ maxToolCallsPerStep: "number", maxParallelToolCalls: "number", toolTimeoutMs: "number" },
  ...{ maxArgumentChars: "number", maxResultChars: "number", budget: "budget" },
  ...{ stopWhen: "function", prepareStep: "function", manualTools: "toolNames" },
  ...{ onTextDelta: "function", onIntermediateText: "function" },
  ...{ onToolResult: "function", onStep: "function", onTask: "function" },
};

/** Throws a `ConfigurationError` when a call has an option that cannot be used. */
export function checkCallOptions(options: CallOptions): void {
  checkOptions(options, CALL_KINDS, { of: "a call" });
}

/** Splits the options: for the loop, for each request, and the tools. */
export function partsOf<S extends LoopShapes>(options: RunOptions<S>): {
  readonly registered: RegisteredTools;
  readonly call: CallOptions;
  readonly choices: LoopChoices<S>;
  readonly onTask: OnTask | undefined;
} {
  checkOptions<RunOptions<S>>(options, RUN, { of: "a run" });
  const { tools, toolHandlers, requestId, signal, timeoutMs, auto, tags, onTask, ...choices } =
    options;
  const call = { requestId, signal, timeoutMs, auto, tags };
  return { registered: { tools, toolHandlers }, call, choices, onTask };
}
