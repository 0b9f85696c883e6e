import { isPromise } from "./cancellation.ts";
import type { LoopContext } from "./context.ts";
import { modelPhase } from "./model_phase.ts";
import type { LoopToolCall } from "./model_events.ts";
import type { BudgetRefusal } from "./ports.ts";
import type { LoopShapes } from "./shapes.ts";
import type { AgentLoop, LoopEvent, LoopResult, Step, StoppedBy } from "./result.ts";
import { StepDraft } from "./step_draft.ts";
import { toolPhase } from "./tool_phase.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "./usage.ts";

/** The reason for the end of a loop, with its data. */
interface Ending<S extends LoopShapes> {
  readonly stoppedBy: StoppedBy;
  readonly pendingCalls?: readonly LoopToolCall<S>[];
  readonly refusal?: BudgetRefusal;
  readonly error?: unknown;
}

/** One run of a loop: its state, and the steps from turn to turn. */
export class LoopRun<S extends LoopShapes> {
  readonly #context: LoopContext<S>;
  readonly #steps: Step<S>[] = [];
  #conversation: S["conversation"];
  #usage: TokenUsage = NO_USAGE;
  /** The present step, until it is complete. */
  #draft: StepDraft<S> | undefined;

  constructor(context: LoopContext<S>) {
    this.#context = context;
    this.#conversation = context.settings.conversation;
  }

  /** Runs all steps. To be called once. */
  async *steps(): AgentLoop<S> {
    const { settings: { signal }, cancellation } = this.#context;
    // The caller's signal may outlive the loop: its listener is removed at the end.
    const unfollow = signal === undefined ? undefined : cancellation.follow(signal);
    try {
      for (;;) {
        cancellation.signal.throwIfAborted();
        const refusal = await this.#prepare();
        if (refusal !== undefined) return this.result({ stoppedBy: "budget", refusal });
        const pendingCalls = yield* this.#step();
        const stoppedBy = await this.#decide(pendingCalls);
        if (stoppedBy !== undefined) return this.result({ stoppedBy, pendingCalls });
      }
    } catch (error) {
      const { aborted, reason } = cancellation.signal;
      cancellation.cancel(error);
      return this.result(
        aborted ? { stoppedBy: "aborted", error: reason } : { stoppedBy: "error", error },
      );
    } finally {
      unfollow?.();
    }
  }

  /** Runs the caller's `prepareStep`, then asks the budget. */
  async #prepare(): Promise<BudgetRefusal | undefined> {
    const { settings: { prepareStep, budget }, cancellation } = this.#context;
    const step = this.#steps.length;
    if (prepareStep !== undefined) {
      const preparation = { conversation: this.#conversation, step, steps: [...this.#steps] };
      const prepared = await cancellation.guard(Promise.resolve(prepareStep(preparation)));
      this.#conversation = prepared ?? this.#conversation;
    }
    if (budget === undefined) return undefined;
    const request = {
      conversation: this.#conversation,
      step,
      usage: this.#usage,
      signal: cancellation.signal,
    };
    return await cancellation.guard(Promise.resolve(budget.refuse(request)));
  }

  /** Runs one turn and its tools. Returns the calls that are the caller's. */
  async *#step(): AsyncGenerator<LoopEvent<S>, readonly LoopToolCall<S>[], void> {
    const { settings, cancellation } = this.#context;
    const draft = this.#draft = new StepDraft<S>(this.#steps.length);
    yield { type: "step_start", step: draft.index };
    yield* modelPhase(this.#conversation, draft, this.#context);
    const { turn } = draft.finish;
    const pending = yield* toolPhase(draft, this.#context);

    // Written only now and all at once: a step that fails leaves the conversation unchanged.
    let conversation = settings.surface.withAssistantTurn(this.#conversation, turn);
    if (draft.results.length > 0) {
      conversation = settings.surface.withToolResults(conversation, [...draft.results]);
    }
    if (draft.calls.length > 0) conversation = settings.surface.withAutoToolChoice(conversation);
    this.#conversation = conversation;
    const step = draft.complete();
    this.#steps.push(step);
    this.#usage = addUsage(this.#usage, step.usage ?? NO_USAGE);
    this.#draft = undefined;

    const handled = settings.onStep?.(step);
    if (isPromise(handled)) await cancellation.guard(handled);
    yield { type: "step", step };
    return pending;
  }

  /** Returns the first reason to end after the last step, or `undefined` to continue. */
  async #decide(pending: readonly LoopToolCall<S>[]): Promise<StoppedBy | undefined> {
    const { settings: { stopWhen, maxSteps }, cancellation } = this.#context;
    // A complete answer counts as complete even when the signal arrived with its last event.
    if (this.#steps.at(-1)?.calls.length === 0) return "finish";
    cancellation.signal.throwIfAborted();
    if (pending.length > 0) return "tool_calls";
    if (stopWhen !== undefined) {
      const stops = await cancellation.guard(Promise.resolve(stopWhen([...this.#steps])));
      if (stops) return "stop_when";
    }
    return this.#steps.length >= maxSteps ? "max_steps" : undefined;
  }

  /** Returns the result of the run with this ending. */
  result(ending: Ending<S>): LoopResult<S> {
    const last = this.#steps.at(-1);
    const unfinished = this.#draft?.partial();
    return {
      pendingCalls: [],
      ...ending,
      finalText: ending.stoppedBy === "finish" ? last?.text ?? "" : "",
      ...(last === undefined ? {} : { finishReason: last.finishReason }),
      conversation: this.#conversation,
      steps: this.#steps,
      usage: addUsage(this.#usage, unfinished?.usage ?? NO_USAGE),
      ...(unfinished === undefined ? {} : { unfinished }),
    };
  }
}
