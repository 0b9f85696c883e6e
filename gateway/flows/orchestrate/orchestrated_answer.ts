import { ServiceFault } from "../../domain/fault.ts";
import { finalNote } from "../../domain/orchestration/task_notes.ts";
import type { Piece, StreamedAnswer } from "../stream/answer_stream.ts";
import { CallerDisconnected } from "../call/caller_disconnected.ts";
import type { GatewayContext } from "../context.ts";
import { faultOf } from "../call/fault_of.ts";
import { logEnd } from "../settle/log_end.ts";
import type { RequestEnd, RequestTrace } from "../request_trace.ts";
import type { Breakdown } from "./breakdown.ts";
import type { TaskEvent, TaskRun } from "./task_run.ts";
import { whileCallerConnected } from "./while_connected.ts";

/** How an endpoint tells a split request, and how it asks for the answer. */
export interface OrchestrationSurface {
  /** Whether a failure before the answer is a 200 with an error and no choices, as in Chat. */
  readonly isEnveloped: boolean;
  /** What a caller who wants to see it is sent of a task; may be nothing. */
  tell(event: TaskEvent): string;
  /** Begins the answer of a request with this note, streamed. Throws where nobody answers. */
  stream(note: string, signal: AbortSignal): Promise<StreamedAnswer>;
  /** The whole answer as JSON text, settled and in the log. Throws where nobody answers. */
  complete(note: string, signal: AbortSignal): Promise<string>;
  /** The last words of a stream whose answer never began. */
  failed(fault: ServiceFault): string;
}

/** An answer for which tasks run first. */
export class OrchestratedAnswer implements StreamedAnswer {
  readonly abort: AbortController;
  readonly #gateway: GatewayContext;
  readonly #trace: RequestTrace;
  readonly #run: TaskRun;
  readonly #breakdown: Breakdown;
  readonly #surface: OrchestrationSurface;
  /** The answer's own call, from when it is being begun. */
  #final: Promise<StreamedAnswer> | undefined;
  /** It was left or broken off: nothing new begins. */
  #isOver = false;

  constructor(
    gateway: GatewayContext,
    options: {
      readonly trace: RequestTrace;
      readonly run: TaskRun;
      readonly breakdown: Breakdown;
      readonly surface: OrchestrationSurface;
      /** The signal of the run is its own. */
      readonly abort: AbortController;
    },
  ) {
    this.#gateway = gateway;
    this.#trace = options.trace;
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
        const text = this.#surface.tell(event);
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
    const fault = isShutdown ? new ServiceFault("shutting_down") : cause;
    const told = this.#failure(fault);
    await this.#log({ status: 200, outcome: "error", errorCode: told.code });
    return this.#surface.failed(told);
  }

  /** The whole answer for a caller who does not stream. Throws where it fails; then it is not logged. */
  async complete(): Promise<string> {
    try {
      return await whileCallerConnected(
        this.#gateway,
        this.#trace.caller,
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
      throw new CallerDisconnected("Nobody waits for the answer any more");
    }
    this.#requireResult();
    return await this.#surface.complete(finalNote(this.#run.results), this.abort.signal);
  }

  async #beginFinal(): Promise<StreamedAnswer> {
    const { signal } = this.abort;
    const final = await this.#surface.stream(finalNote(this.#run.results), signal);
    const pass = () => final.abort.abort(signal.reason);
    signal.addEventListener("abort", pass, { once: true });
    return final;
  }

  /** Ends what runs; resolves to the answer's own call where that has begun. */
  async #end(reason: "left" | "cut"): Promise<StreamedAnswer | undefined> {
    this.#isOver = true;
    // The answer's own call ends as it is told to: its signal is only for what has not begun.
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
    const begun = await Promise.race([beginning, Promise.resolve()]).catch(() => undefined);
    if (begun !== undefined) return begun;
    this.abort.abort(reason);
    return await beginning.catch(() => undefined);
  }

  #requireResult(): void {
    if (this.#run.hasResult) return;
    throw new ServiceFault("orchestration_failed", {
      message: "None of the tasks that the request was split into could be done",
    });
  }

  /** What the caller is told where no answer began: that the orchestration failed, and why. */
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
    const { billed, caller } = this.#trace;
    const metadata = {
      request_id: caller.requestId,
      routing: this.#trace.routing(),
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
    return logEnd(this.#gateway, this.#trace, end);
  }
}
