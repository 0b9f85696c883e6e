import type { LoopContext } from "./context.ts";
import type { LoopToolCall } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";
import { cutText, errorResult, successResult, type ToolResult } from "./tool_result.ts";

const ABORTED = {
  code: "tool_aborted",
  message: "The run was aborted; the tool may have taken effect",
};

/**
 * Runs one tool call. Never throws: invalid arguments and failures of the tool become a result that
 * the model reads, and no error of the loop.
 */
export async function runToolCall<S extends LoopShapes>(
  call: LoopToolCall<S>,
  context: LoopContext<S>,
): Promise<ToolResult<S>> {
  const { settings, cancellation } = context;
  const tool = settings.toolsByName.get(call.name);
  if (tool?.execute === undefined) {
    const message = `There is no handler for a tool named "${call.name.slice(0, 64)}"`;
    return errorResult(call, { code: "tool_handler_not_found", message });
  }
  if (cancellation.signal.aborted) {
    return errorResult(call, {
      ...ABORTED,
      message: "The run was aborted; the tool did not start",
    });
  }
  const input = parseInput(call.arguments, settings.maxArgumentChars);
  if ("problem" in input) {
    return errorResult(call, { code: "invalid_tool_arguments", message: input.problem });
  }
  const timeoutMs = tool.timeoutMs ?? settings.toolTimeoutMs;
  const { execute } = tool;
  const work: ToolWork = {
    run: (signal) => execute.call(tool, input.value, { toolCallId: call.id, signal }),
    timeoutMs,
  };
  const outcome = await runWithin(work, context);
  switch (outcome.kind) {
    case "returned":
      return successResult(call, outcome.value, { maxChars: settings.maxResultChars });
    case "threw":
      return errorResult(call, failure(outcome.cause, settings.maxResultChars));
    case "timeout": {
      const message = `The tool was stopped after ${timeoutMs} ms; it may have taken effect`;
      return errorResult(call, { code: "tool_timeout", message });
    }
    case "aborted":
      return errorResult(call, ABORTED);
  }
}

function parseInput(
  text: string,
  maxChars: number,
): { readonly value: unknown } | { readonly problem: string } {
  if (text.length > maxChars) {
    return { problem: `The arguments are longer than ${maxChars} characters` };
  }
  try {
    // Some models write null where a tool takes nothing.
    return { value: JSON.parse(text.trim() || "{}") ?? {} };
  } catch {
    // The parser's message quotes the input, which may hold secrets; the model knows its own input.
    return { problem: "The arguments are not valid JSON" };
  }
}

/** Turns an error into a result. The model reads only text that the tool wrote for it. */
function failure(
  cause: unknown,
  maxChars: number,
): { code: string; message: string; cause: unknown } {
  if (!(cause instanceof Error) || cause.name !== "ToolError") {
    return { code: "tool_failed", message: "The tool failed", cause };
  }
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "tool_failed";
  return { code, message: cutText(cause.message, maxChars), cause };
}

interface ToolWork {
  readonly run: (signal: AbortSignal) => unknown;
  readonly timeoutMs: number;
}

type Outcome =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly cause: unknown }
  | { readonly kind: "timeout" }
  | { readonly kind: "aborted" };

/**
 * Resolves when the tool is done, its time is up or the loop is stopped, whichever is first. A
 * later outcome of the tool is ignored.
 */
function runWithin<S extends LoopShapes>(
  work: ToolWork,
  { settings: { clock }, cancellation }: LoopContext<S>,
): Promise<Outcome> {
  const { timeoutMs } = work;
  return new Promise((resolve) => {
    const controller = new AbortController();
    const watches: (() => void)[] = [];
    const end = (outcome: Outcome) => {
      for (const stop of watches) stop();
      resolve(outcome);
    };
    watches.push(cancellation.onCancel((reason) => {
      end({ kind: "aborted" });
      controller.abort(reason);
    }));
    if (timeoutMs > 0) {
      watches.push(clock.startTimer(timeoutMs, () => {
        end({ kind: "timeout" });
        controller.abort(new DOMException(`No result after ${timeoutMs} ms`, "TimeoutError"));
      }));
    }
    const run = async () => await work.run(controller.signal);
    run().then(
      (value) => end({ kind: "returned", value }),
      (cause) => end({ kind: "threw", cause }),
    );
  });
}
