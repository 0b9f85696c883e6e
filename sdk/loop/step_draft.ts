import type { FinishEvent, LoopToolCall, ModelEvent } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";
import type { PartialStep, Step } from "./result.ts";
import type { ToolResult } from "./tool_result.ts";
import type { TokenUsage } from "./usage.ts";

/** A step while it runs. After a failure it holds all that is known of the step. */
export class StepDraft<S extends LoopShapes> {
  /** Position in the loop, from 0. */
  readonly index: number;
  /** Complete tool calls, in the order the model made them. */
  readonly calls: LoopToolCall<S>[] = [];
  /** Results so far, in call order. */
  readonly results: ToolResult<S>[] = [];
  #text = "";
  #reasoning = "";
  #usage: TokenUsage | undefined;
  #finish: FinishEvent<S> | undefined;

  constructor(index: number) {
    this.index = index;
  }

  /** Records an event of the model. */
  add(event: ModelEvent<S>): void {
    switch (event.type) {
      case "text_delta":
        this.#text += event.text;
        break;
      case "reasoning_delta":
        this.#reasoning += event.text;
        break;
      case "tool_call":
        this.calls.push(event.call);
        break;
      case "usage":
        this.#usage = event.usage;
        break;
      case "finish":
        this.#finish = event;
        break;
    }
  }

  /** The end of the turn. Throws when there was none: the connection was cut. */
  get finish(): FinishEvent<S> {
    if (this.#finish !== undefined) return this.#finish;
    throw new Error(`Cannot use the turn of step ${this.index}: it ended without a finish event`);
  }

  /** True when the turn was ended before the model was done. */
  get isCut(): boolean {
    return ["length", "content_filter"].includes(this.finish.finishReason);
  }

  /** Returns the step so far. */
  partial(): PartialStep<S> {
    return {
      index: this.index,
      text: this.#text,
      reasoning: this.#reasoning,
      calls: [...this.calls],
      results: [...this.results],
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }

  /** Returns the complete step, after its turn has ended and its calls are answered. */
  complete(): Step<S> {
    const { finishReason, turn } = this.finish;
    // Some providers report "stop" beside tool calls. A turn that was cut keeps its reason.
    const isCall = this.calls.length > 0 && (finishReason === "stop" || finishReason === "other");
    return { ...this.partial(), finishReason: isCall ? "tool_calls" : finishReason, turn };
  }
}
