import { isPromise } from "./cancellation.ts";
import type { LoopContext } from "./context.ts";
import type { ModelEvent } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";

/**
 * Passes the text of one turn to `onTextDelta` when it is the final answer, and to
 * `onIntermediateText` when the turn calls tools. Text is held until one of the two is certain: the
 * first call, or the turn's end. A turn that cannot call tools holds nothing.
 */
export class TurnText<S extends LoopShapes> {
  readonly #context: LoopContext<S>;
  #held: string[] = [];
  #kind: "final" | "intermediate" | undefined;

  constructor(context: LoopContext<S>, { mayCallTools }: { readonly mayCallTools: boolean }) {
    this.#context = context;
    this.#kind = mayCallTools ? undefined : "final";
  }

  /** Records an event. Returns true when there is text to pass on. */
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

  /** Passes the held text to the callback, piece by piece. */
  async tell(): Promise<void> {
    const { settings: { onIntermediateText, onTextDelta }, cancellation } = this.#context;
    const tell = this.#kind === "final" ? onTextDelta : onIntermediateText;
    const texts = this.#held;
    this.#held = [];
    for (const text of texts) {
      const handled = tell?.(text);
      if (isPromise(handled)) await cancellation.guard(handled);
    }
  }
}
