import type { LoopContext } from "./context.ts";
import type { ModelEvent } from "./model_events.ts";
import type { LoopShapes } from "./shapes.ts";
import type { StepDraft } from "./step_draft.ts";
import { TurnText } from "./turn_text.ts";

/**
 * Runs one turn of the model: yields its events as they arrive and writes them into the draft of
 * the step. An early return, a failing hook and a cancellation all cancel the turn.
 */
export async function* modelPhase<S extends LoopShapes>(
  conversation: S["conversation"],
  draft: StepDraft<S>,
  { settings, cancellation }: LoopContext<S>,
): AsyncGenerator<ModelEvent<S>, void, void> {
  const { signal } = cancellation;
  const events = settings.model.turn({ conversation, step: draft.index, signal });
  const iterator = events[Symbol.asyncIterator]();
  const mayCallTools = settings.surface.mayCallTools?.(conversation) ?? true;
  const text = new TurnText({ settings, cancellation }, { mayCallTools });
  let isReading = false;
  let isOver = false;
  try {
    for (;;) {
      isReading = true;
      const next = await cancellation.guard(iterator.next());
      isReading = false;
      if (next.done) break;
      draft.add(next.value);
      if (text.add(next.value)) await text.tell();
      yield next.value;
    }
    isOver = true;
  } finally {
    const returned = isOver ? undefined : iterator.return?.();
    // A turn that is still being read ends on the signal, and a turn that ignores the signal is not
    // awaited: the outcome of this step is already decided.
    if (isReading) returned?.catch(() => {});
    else await returned;
  }
}
