import { type CallOptions, checkRequest, type Given } from "../call.ts";
import { ConfigurationError, RunError } from "../errors.ts";
import {
  type AgentLoop,
  agentLoop,
  drain,
  type LoopEvent,
  type LoopResult,
  type LoopShapes,
  type ModelPort,
} from "../loop/mod.ts";
import { signalOf } from "../option_kinds.ts";
import { EventStream, type OpenStream, ServiceStream } from "../service_stream.ts";
import type { Toolbox, ToolSelection } from "../toolbox/selection.ts";
import type { Transport } from "../transport.ts";
import { addBilling } from "./billing.ts";
import { checkCallOptions, type LoopChoices, partsOf, type RunOptions } from "./run_options.ts";
import type { RunResult } from "./run_result.ts";
import type { Surface } from "./surface.ts";
import type { OnTask } from "./tasks.ts";

/** Parts that the surfaces of one client share. */
export interface RunnerDeps {
  /** Sends requests. */
  readonly transport: Transport;
  /** Selects the tools. */
  readonly toolbox: Toolbox;
}

/** A request with its tools declared, and the options to send it with. */
interface Ready<S extends LoopShapes> {
  readonly request: S["conversation"];
  readonly selection: ToolSelection;
  readonly call: CallOptions;
  readonly stream: boolean;
  readonly onTask?: OnTask | undefined;
}

/**
 * The four methods of every surface: one request or a run, whole or streamed. All code that runs
 * tools drives the one loop.
 */
export class Runner<S extends LoopShapes, History extends object> {
  readonly #surface: Surface<S, History>;
  readonly #deps: RunnerDeps;

  /** Creates a runner; sends nothing. */
  constructor(surface: Surface<S, History>, deps: RunnerDeps) {
    this.#surface = surface;
    this.#deps = deps;
  }

  /**
   * Returns one answer, or its chunks for a request with `stream: true`. When the default tools are
   * offered, their calls are run and the answer is the last turn.
   */
  async create(
    request: Given<S["conversation"]>,
    call: CallOptions,
  ): Promise<S["turn"] | EventStream<S["chunk"], S["turn"]>> {
    checkCallOptions(call);
    if (Object(request).stream === true) {
      const stream = new EventStream(this.#opening(request, call), { signal: signalOf(call) });
      await stream.opened();
      return stream;
    }
    const ready = this.#readyToCall(request, { call, stream: false });
    if (ready.selection.executable.length === 0) return await lastOf(this.#turn(ready));
    return this.#combined(await drain(this.#loop(ready, {})));
  }

  /** Returns one answer as its chunks; those of every turn when default tools are called. */
  stream(
    request: Given<S["conversation"]>,
    call: CallOptions,
  ): ServiceStream<S["chunk"], S["turn"]> {
    return new ServiceStream(this.#opening(request, call), { signal: signalOf(call) });
  }

  /** Runs to the end. */
  async run(
    request: Given<S["conversation"]>,
    options: RunOptions<S>,
  ): Promise<RunResult<S> & History> {
    const { ready, choices } = this.#readyToRun(request, { options, stream: false });
    return this.#outcome(await drain(this.#loop(ready, choices)));
  }

  /** Returns a run as its events. */
  runStream(
    request: Given<S["conversation"]>,
    options: RunOptions<S>,
  ): ServiceStream<LoopEvent<S>, RunResult<S> & History> {
    return new ServiceStream((signal) => {
      const { ready, choices } = this.#readyToRun(request, { options, signal, stream: true });
      return this.#events(this.#loop(ready, choices));
    }, { signal: signalOf(options) });
  }

  /** Opens the chunks of one answer on the first read. */
  #opening(
    request: Given<S["conversation"]>,
    call: CallOptions,
  ): OpenStream<S["chunk"], S["turn"]> {
    return (signal) => {
      checkCallOptions(call);
      const ready = this.#readyToCall(request, { call: { ...call, signal }, stream: true });
      return ready.selection.executable.length === 0
        ? this.#turn(ready)
        : this.#chunks(this.#loop(ready, {}));
    };
  }

  #readyToCall(
    request: Given<S["conversation"]>,
    { call, stream }: { readonly call: CallOptions; readonly stream: boolean },
  ): Ready<S> {
    const checked = this.#checkedConversation(request, stream);
    const hasOwnTools = this.#surface.hasOwnTools(checked);
    const selection = this.#deps.toolbox.forRequest({ hasOwnTools });
    return { request: this.#declared(checked, selection), selection, call, stream };
  }

  #readyToRun(
    request: Given<S["conversation"]>,
    { options, signal, stream }: {
      readonly options: RunOptions<S>;
      /** Signal of a stream, which follows the caller's. */
      readonly signal?: AbortSignal;
      readonly stream: boolean;
    },
  ): { readonly ready: Ready<S>; readonly choices: LoopChoices<S> } {
    const { call, choices, registered, onTask } = partsOf(options);
    const checked = this.#checkedConversation(request, stream);
    const hasOwnTools = this.#surface.hasOwnTools(checked);
    const selection = this.#deps.toolbox.forRun(registered, { hasOwnTools });
    const declared = this.#declared(checked, selection);
    const own = signal === undefined ? call : { ...call, signal };
    return { ready: { request: declared, selection, call: own, stream, onTask }, choices };
  }

  #checkedConversation(request: Given<S["conversation"]>, stream: boolean): S["conversation"] {
    // Other libraries stream when the request says so; here the method decides.
    checkRequest(request);
    const { stream: streams } = request as { stream?: unknown };
    if (streams === undefined || streams === null || streams === stream) {
      return this.#surface.begin(withOwnLists(request));
    }
    throw new ConfigurationError(
      typeof streams !== "boolean"
        ? "Cannot use stream in the request: it is neither true nor false"
        : stream
        ? "Cannot stream with stream: false in the request: call create or run"
        : "Cannot stream with run: call runStream",
    );
  }

  #declared(request: S["conversation"], { declared }: ToolSelection): S["conversation"] {
    return declared === undefined ? request : this.#surface.withTools(request, declared);
  }

  #loop(ready: Ready<S>, choices: LoopChoices<S>): AgentLoop<S> {
    try {
      return agentLoop<S>({
        ...choices,
        conversation: ready.request,
        surface: this.#surface,
        model: this.#model(ready),
        tools: ready.selection.executable,
        signal: ready.call.signal,
      });
    } catch (error) {
      // It throws only for an invalid limit.
      throw error instanceof RangeError ? new ConfigurationError(error.message) : error;
    }
  }

  #model(
    { call: { requestId, timeoutMs, auto, tags }, stream, onTask }: Ready<S>,
    chunksOnly = false,
  ): ModelPort<S> {
    const options = { requestId, timeoutMs, auto, tags, stream, chunksOnly, onTask };
    return this.#surface.model(this.#deps.transport, options);
  }

  /** Runs one turn without a loop: yields its chunks, returns the turn. */
  async *#turn(ready: Ready<S>): AsyncGenerator<S["chunk"], S["turn"], void> {
    const { call: { signal = new AbortController().signal }, request } = ready;
    const model = this.#model(ready, true);
    let turn: { readonly of: S["turn"] } | undefined;
    for await (const event of model.turn({ conversation: request, step: 0, signal })) {
      if (event.type === "chunk") yield event.chunk;
      if (event.type === "finish") turn = { of: event.turn };
    }
    if (turn === undefined) throw new Error("Cannot use a turn that ended without a finish event");
    return turn.of;
  }

  async *#chunks(loop: AgentLoop<S>): AsyncGenerator<S["chunk"], S["turn"], void> {
    try {
      for (;;) {
        const next = await loop.next();
        if (next.done) return this.#combined(next.value);
        if (next.value.type === "chunk") yield next.value.chunk;
      }
    } finally {
      await loop[Symbol.asyncDispose]();
    }
  }

  async *#events(loop: AgentLoop<S>): AsyncGenerator<LoopEvent<S>, RunResult<S> & History, void> {
    return this.#outcome(yield* loop);
  }

  /** Returns the last turn with the usage of all, or throws the error that ended the loop. */
  #combined(result: LoopResult<S>): S["turn"] {
    this.#outcome(result);
    const [first, ...later] = result.steps.map(({ turn }) => turn);
    if (first === undefined) throw new Error("Cannot answer from a loop without a step");
    return this.#surface.combined([first, ...later]);
  }

  /** Returns the result, or throws an error that carries it. */
  #outcome({ error, ...result }: LoopResult<S>): RunResult<S> & History {
    const { conversation, steps, stoppedBy, unfinished } = result;
    const turns = steps.map(({ turn }) => this.#surface.about(turn));
    const response = steps.at(-1)?.turn;
    const outcome = {
      ...result,
      ...this.#surface.history(conversation, response),
      response,
      billing: addBilling(turns.map(({ billing }) => billing)),
      requestId: turns.at(-1)?.requestId,
    };
    if (stoppedBy !== "error" && stoppedBy !== "aborted") return outcome;
    // A failure of the very first request is that request's own error.
    const hasDone = steps.length > 0 || unfinished !== undefined && unfinished.results.length > 0;
    throw hasDone ? new RunError(outcome, { cause: error }) : error;
  }
}

/** Copies the lists of a request: a run ignores what the application does to them meanwhile. */
function withOwnLists<Request>(request: Given<Request>): Request {
  const members = Object(request);
  const fields = Object.entries<unknown>(members);
  const lists = fields.flatMap(([name, value]) => Array.isArray(value) ? [[name, [...value]]] : []);
  return { ...members, ...Object.fromEntries(lists) };
}

async function lastOf<Turn>(turn: AsyncGenerator<unknown, Turn, void>): Promise<Turn> {
  for (;;) {
    const next = await turn.next();
    if (next.done) return next.value;
  }
}
