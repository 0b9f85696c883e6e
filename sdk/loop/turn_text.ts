import { isPromise } from "./cancellation.ts";
import type { LoopContext } from "./context.ts";
import type { ModelEvent } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";

/**
 * The text of one turn on its way to the callback that it belongs to: `onTextDelta` where it is the
 * final answer's, `onIntermediateText` where the turn calls tools. It is held until one of the two is
 * certain: the first call, or the turn's end. A turn that cannot call tools holds nothing.
 */
export class TurnText<S extends LoopShapes> {
  readonly #context: LoopContext<S>;
  #held: string[] = [];
  #kind: "final" | "intermediate" | undefined;

  constructor(context: LoopContext<S>, { mayCallTools }: { readonly mayCallTools: boolean }) {
    this.#context = context;
    this.#kind = mayCallTools ? undefined : "final";
  }

  /** Takes in an event; true: there is text to tell. */
  add(event: ModelEvent<S>): boolean {
    switch (event.type) {
      case "text_delta":
        this.#held.push(event.text);
        break;
      case "tool_call_delta":
      case "tool_call":
        this.#kind = "intermediate";
        break;
      case "finish":
        this.#kind ??= "final";
    }
    return this.#kind !== undefined && this.#held.length > 0;
  }

  /** Tells what was held, piece by piece. */
  async tell(): Promise<void> {
    const { settings: { onIntermediateText, onTextDelta }, cancellation } = this.#context;
    const tell = this.#kind === "final" ? onTextDelta : onIntermediateText;
    const texts = this.#held;
    this.#held = [];
    for (const text of texts) {
      const told = tell?.(text);
      if (isPromise(told)) await cancellation.guard(told);
    }
  }
}
