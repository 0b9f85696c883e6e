import type { InFlight } from "../admit/in_flight.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { finalNote } from "../../domain/orchestration/task_notes.ts";
import type { Piece, StreamedAnswer } from "../stream/answer_stream.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { faultOf } from "../request/fault_of.ts";
import { logEnd, type LogEndDeps } from "../settle/log_end.ts";
import type { OpenPlan } from "../plan/route_plan.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { RequestEnd } from "../request/report.ts";
import type { Breakdown } from "./breakdown.ts";
import type { TaskEvent, TaskRun } from "./task_run.ts";
import { whileCallerConnected } from "./while_connected.ts";

/** Parts of the service that the answer of a split request uses. */
export type OrchestratedDeps = LogEndDeps & {
  readonly inFlight: Pick<InFlight, "watch" | "endFault">;
};

/** The call of the answer to a split or verified request. */
export interface FinalCall {
  /** Note under the last message. @default {the request is sent as it came} */
  readonly note?: string | undefined;
  /** @default {the route is planned again} */
  readonly plan?: OpenPlan | undefined;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** Requests the answer to a split or verified request in the form of an endpoint. */
export interface FinalSurface {
  /** Begins the answer, streamed. Throws if no model answers. */
  stream(call: FinalCall): Promise<StreamedAnswer>;
  /** Returns the complete answer as JSON text, settled and logged. Throws if no model answers. */
  complete(call: FinalCall): Promise<string>;
}

/** Reports a split request to its caller in the form of an endpoint, and requests the answer. */
export interface OrchestrationSurface extends FinalSurface {
  /** True when a failure before the answer is a 200 with an error and no choices, as in Chat. */
  readonly isEnveloped: boolean;
  /** Returns the text about a task for a caller that asked to see tasks; may be empty. */
  report(event: TaskEvent): string;
  /** Returns the last event of a stream whose answer never began. */
  failed(fault: ServiceFault): string;
}

/** An answer for which tasks run first. */
export class OrchestratedAnswer implements StreamedAnswer {
  readonly abort: AbortController;
  readonly #deps: OrchestratedDeps;
  readonly #active: ActiveRequest;
  readonly #run: TaskRun;
  readonly #breakdown: Breakdown;
  readonly #surface: OrchestrationSurface;
  /** The call of the answer itself, from when it is being begun. */
  #final: Promise<StreamedAnswer> | undefined;
  /** True when the caller has disconnected or the answer has failed: no further call begins. */
  #isOver = false;

  constructor(
    deps: OrchestratedDeps,
    options: {
      readonly active: ActiveRequest;
      readonly run: TaskRun;
      readonly breakdown: Breakdown;
      readonly surface: OrchestrationSurface;
      /** Aborts the run of the tasks as well. */
      readonly abort: AbortController;
    },
  ) {
    this.#deps = deps;
    this.#active = options.active;
    this.#run = options.run;
    this.#breakdown = options.breakdown;
    this.#surface = options.surface;
    this.abort = options.abort;
  }

  async next(): Promise<Piece> {
    while (this.#final === undefined) {
      const event = await this.#run.next();
      if (this.#isOver) return { text: "", last: true };
      if (event === undefined) {
        this.#requireResult();
        this.#final = this.#beginFinal();
      } else {
        const text = this.#surface.report(event);
        if (text !== "") return { text, last: false };
      }
    }
    return await (await this.#final).next();
  }

  async leave(): Promise<void> {
    const final = await this.#end("left");
    if (final !== undefined) return await final.leave();
    await this.#log({ status: 200, outcome: "client_left" });
  }

  async fail(cause: unknown): Promise<string> {
    const isShutdown = this.abort.signal.reason === "shutdown";
    const final = await this.#end("cut");
    if (final !== undefined) return await final.fail(cause);
    const fault = isShutdown ? this.#deps.inFlight.endFault() : cause;
    const failure = this.#failure(fault);
    await this.#log({ status: 200, outcome: "error", errorCode: failure.code });
    return this.#surface.failed(failure);
  }

  /**
   * Returns the complete answer for a caller that does not stream. Throws if it fails; then it is
   * not logged.
   */
  async complete(): Promise<string> {
    try {
      return await whileCallerConnected(
        this.#deps,
        this.#active.signal,
        this.abort,
        () => this.#whole(),
      );
    } catch (cause) {
      this.abort.abort("cut");
      await this.#run.ended();
      throw cause instanceof CallerDisconnected ? cause : this.#failure(cause);
    }
  }

  async #whole(): Promise<string> {
    while (await this.#run.next() !== undefined);
    if (this.abort.signal.aborted) {
      throw new CallerDisconnected("The caller disconnected before the answer");
    }
    this.#requireResult();
    return await this.#surface.complete({
      note: finalNote(this.#run.results),
      signal: this.abort.signal,
    });
  }

  async #beginFinal(): Promise<StreamedAnswer> {
    const { signal } = this.abort;
    const final = await this.#surface.stream({ note: finalNote(this.#run.results), signal });
    const pass = () => final.abort.abort(signal.reason);
    signal.addEventListener("abort", pass, { once: true });
    return final;
  }

  /** Ends the tasks; resolves to the call of the answer if that has begun. */
  async #end(reason: "left" | "cut"): Promise<StreamedAnswer | undefined> {
    this.#isOver = true;
    // The call of the answer is ended separately: the signal is only for calls that have not begun.
    const final = await this.#begunFinal(reason);
    await this.#run.ended();
    return final;
  }

  async #begunFinal(reason: "left" | "cut"): Promise<StreamedAnswer | undefined> {
    const beginning = this.#final;
    if (beginning === undefined) {
      this.abort.abort(reason);
      return undefined;
    }
    const begunCall = await Promise.race([beginning, Promise.resolve()]).catch(() => undefined);
    if (begunCall !== undefined) return begunCall;
    this.abort.abort(reason);
    return await beginning.catch(() => undefined);
  }

  #requireResult(): void {
    if (this.#run.hasResult) return;
    throw new ServiceFault("orchestration_failed", {
      message: "None of the tasks that the request was split into could be done",
    });
  }

  /**
   * Returns the fault for an answer that never began: the orchestration failed, with the reason.
   */
  #failure(cause: unknown): ServiceFault {
    const fault = faultOf(cause);
    const hasNone = fault.code === "orchestration_failed";
    const passes = hasNone || fault.code === "shutting_down";
    const { isEnveloped } = this.#surface;
    const code = hasNone && !isEnveloped
      ? "upstream_error"
      : passes || !isEnveloped
      ? fault.code
      : "orchestration_failed";
    const { bill: { settled: billed }, identity } = this.#active;
    const metadata = {
      request_id: identity.requestId,
      routing: this.#active.report.routing(),
      billing: billed,
    };
    return new ServiceFault(code, {
      message: passes
        ? fault.message
        : `The tasks were done, but no answer could be made of them: ${fault.message}`,
      cause,
      retryAfterMs: fault.retryAfterMs,
      extra: {
        ...(isEnveloped ? { choices: [] } : {}),
        metadata,
        orchestration: this.#breakdown.whole("failed", { billed }),
      },
    });
  }

  #log(end: RequestEnd): Promise<void> {
    return logEnd(this.#deps, this.#active, end);
  }
}
