import { isPromise } from "./cancellation.ts";
import type { LoopContext } from "./context.ts";
import type { LoopToolCall } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";
import type { ToolResultEvent } from "./result.ts";
import type { StepDraft } from "./step_draft.ts";
import { runToolCall } from "./tool_call.ts";
import { errorResult, type ToolResult } from "./tool_result.ts";

/**
 * Answers every call of a turn except those of manual tools, which it returns. Calls run
 * concurrently; results are yielded in call order, each as soon as it and all earlier ones are
 * there, and written into the draft of the step.
 */
export async function* toolPhase<S extends LoopShapes>(
  draft: StepDraft<S>,
  context: LoopContext<S>,
): AsyncGenerator<ToolResultEvent<S>, readonly LoopToolCall<S>[], void> {
  const { settings, cancellation } = context;
  const isManual = ({ name }: LoopToolCall<S>) => settings.isManual(name);
  const throughTurnstile = concurrencyLimit(settings.maxParallelToolCalls);
  const running: (ToolResult<S> | Promise<ToolResult<S>>)[] = [];
  for (const call of draft.calls) {
    if (isManual(call)) continue;
    const refused = refuse(call, { isCut: draft.isCut, before: running.length, context });
    running.push(refused ?? throughTurnstile(() => runToolCall(call, context)));
  }
  for (const next of running) {
    const result = await next;
    draft.results.push(result);
    const handled = settings.onToolResult?.(result);
    if (isPromise(handled)) await cancellation.guard(handled);
    yield { type: "tool_result", result };
  }
  return draft.calls.filter(isManual);
}

/** Returns the result of a call that must not run. */
function refuse<S extends LoopShapes>(
  call: LoopToolCall<S>,
  turn: { readonly isCut: boolean; readonly before: number; readonly context: LoopContext<S> },
): ToolResult<S> | undefined {
  const limit = turn.context.settings.maxToolCallsPerStep;
  if (turn.before >= limit) {
    const message = `Only ${limit} tool calls run in one turn; this one did not`;
    return errorResult(call, { code: "too_many_tool_calls", message });
  }
  // A cut object never parses, but one cut before its first character would pass for an empty one.
  if (turn.isCut && call.arguments.trim() === "") {
    const message = "The turn was cut before the arguments";
    return errorResult(call, { code: "invalid_tool_arguments", message });
  }
  return undefined;
}

/**
 * Limits concurrency: runs at most `limit` pieces of work at a time, in the order of their arrival.
 */
function concurrencyLimit(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limit) running++;
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
