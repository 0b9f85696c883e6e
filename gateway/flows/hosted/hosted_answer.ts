/**
 * An answer whose hosted tools the gateway runs: the shared loop, with turns that are calls of models
 * and searches between them. Every turn and every search has a hold and a bill of its own.
 *
 * @module
 */

import { agentLoop, type LoopResult, type LoopToolCall } from "@svc/sdk/loop";
import { ServiceFault } from "../../domain/fault.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { HostedCall, HostedNames, HostedRelay } from "../../wire/hosted/relay.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import type { Piece, StreamedAnswer } from "../stream/answer_stream.ts";
import type { Begun } from "../call/attempt.ts";
import { CallerDisconnected } from "../call/caller_disconnected.ts";
import type { GatewayContext } from "../context.ts";
import { faultOf } from "../call/fault_of.ts";
import { FinalEvents, type KeepAnswer } from "../stream/final_events.ts";
import { logEnd } from "../settle/log_end.ts";
import type { RequestEnd, RequestTrace } from "../request_trace.ts";
import type { OpenedStream } from "../stream/streamed_call.ts";
import { type HostedShapes, hostedSurface, withoutTools } from "./hosted_conversation.ts";
import type { BeginTurn } from "./hosted_setup.ts";
import type { HostedTools } from "./hosted_tools.ts";
import { CALLERS_TOOL, HostedModel } from "./hosted_model.ts";
import { RESULT_CHARS_MAX } from "./result_room.ts";
import { SearchFees } from "./search_fees.ts";
import { type PricedWebSearch, SearchOutcomes, searchTools } from "./search_tools.ts";
import type { Sources } from "./sources.ts";

/** Most turns of a model for one answer; in the last one no tool may be called. */
export const HOSTED_TURNS_MAX = 8;
/** Most searches for one answer. */
export const HOSTED_CALLS_MAX = 16;
/** Longest search, in milliseconds. */
const SEARCH_MS = 30_000;

/** What a hosted answer needs of its request. */
export interface HostedAnswerOptions {
  readonly trace: RequestTrace;
  readonly tools: HostedTools;
  readonly names: HostedNames;
  /** Whether the caller's own functions are declared beside the hosted tools. */
  readonly hasFunctions: boolean;
  readonly web: PricedWebSearch | undefined;
  readonly sources: Sources;
  readonly conversation: ChatBody;
  /** The first turn. */
  readonly begun: Begun<OpenedStream<HostedRelay>>;
  /** Begins a later turn. Throws where nobody answers. */
  readonly begin: BeginTurn;
  /** Most searches that the caller allows. @default {HOSTED_CALLS_MAX} */
  readonly callsMax?: number | undefined;
  /** Called when the answer is whole and settled, before its last event is sent. */
  readonly keep?: KeepAnswer | undefined;
}

/** An answer that is a loop of calls; the caller sees one stream, or one body. */
export class HostedAnswer implements StreamedAnswer {
  readonly abort = new AbortController();
  readonly #gateway: GatewayContext;
  readonly #options: HostedAnswerOptions;
  readonly #relay: HostedRelay;
  readonly #model: HostedModel;
  readonly #outcomes = new SearchOutcomes();
  readonly #calls = new Map<LoopToolCall<HostedShapes>, HostedCall>();
  readonly #events: AsyncGenerator<Piece["text"], LoopResult<HostedShapes>, void>;
  readonly #fees: SearchFees;
  readonly #found = new Map<string, string>();
  #searches = 0;
  #isLastTurn = false;
  #isLogged = false;
  /** Once it is set nothing new begins: finished, left or broken off. */
  #ending: Promise<unknown> | undefined;
  #last: FinalEvents | undefined;

  constructor(gateway: GatewayContext, options: HostedAnswerOptions) {
    this.#gateway = gateway;
    this.#options = options;
    this.#relay = options.begun.answer.relay;
    const { signal } = this.abort;
    this.#model = new HostedModel(gateway, {
      ...options,
      begin: (conversation) => options.begin(conversation, signal),
    });
    this.#fees = new SearchFees(gateway, options.trace);
    this.#events = this.#run();
  }

  async next(): Promise<Piece> {
    if (this.#ending === undefined) {
      const next = await this.#events.next();
      if (!next.done) return { text: next.value, last: false };
      // Unless it has been ended meanwhile: then nobody asks any more.
      if (this.#ending === undefined) {
        const { stoppedBy, error } = next.value;
        if (stoppedBy === "error" || stoppedBy === "aborted") throw error;
        this.#remember(next.value);
        this.#ending = this.#finish();
      }
    }
    await this.#ending;
    return await this.#last?.next() ?? { text: "", last: true };
  }

  /**
   * What its searches found that no text of it stands for, by the ids of their items: the model must
   * read it when the caller continues.
   */
  get found(): ReadonlyMap<string, string> {
    return this.#found;
  }

  async leave(): Promise<void> {
    this.#ending ??= this.#leave();
    await this.#ended();
    // It may have been whole: who left before its last event may still ask for it.
    await this.#last?.drain();
  }

  async fail(cause: unknown): Promise<string> {
    const fault = await this.#stop(cause);
    // It was whole by then: its end is what is left of it.
    if (this.#last !== undefined) return await this.#last.drain();
    await this.#log({ status: 200, outcome: "cut", errorCode: fault.code });
    const { trace } = this.#options;
    const end = { metadata: trace.metadata(trace.billed), usage: this.#usage() };
    const { dialect, requestId } = trace.caller;
    return [...this.#relay.failed(envelopeIn(dialect, fault.envelope(requestId)), end)].join("");
  }

  /** The whole answer for a caller who does not stream. Throws where it fails; then it is not logged. */
  async complete(): Promise<string> {
    const { signal } = this.#options.trace.caller;
    const unwatch = this.#gateway.inFlight.watch(this.abort);
    // Its row in the log is written with the refusal of whoever called.
    const onLeave = () => void (this.#ending ??= this.#drop());
    signal.addEventListener("abort", onLeave, { once: true });
    if (signal.aborted) onLeave();
    try {
      for (let piece = await this.next(); !piece.last; piece = await this.next()) {
        if (typeof piece.text !== "string") piece.text();
      }
    } catch (cause) {
      throw cause instanceof CallerDisconnected ? cause : await this.#stop(cause);
    } finally {
      signal.removeEventListener("abort", onLeave);
      unwatch();
    }
    const { complete } = this.#relay;
    if (complete !== undefined) return complete;
    await this.#ending;
    throw new CallerDisconnected("The caller left before the answer");
  }

  #remember({ stoppedBy, steps, pendingCalls }: LoopResult<HostedShapes>): void {
    if (stoppedBy === "finish" && saysText(steps.at(-1)?.turn)) return this.#found.clear();
    const calls = pendingCalls.map(({ raw }) => raw);
    this.#gateway.found.remember(this.#options.trace.caller.key.id, { found: this.#found, calls });
  }

  async *#run(): AsyncGenerator<Piece["text"], LoopResult<HostedShapes>, void> {
    const loop = agentLoop<HostedShapes>({
      conversation: this.#options.conversation,
      surface: hostedSurface,
      model: this.#model,
      tools: this.#tools(),
      manualTools: [CALLERS_TOOL],
      maxSteps: HOSTED_TURNS_MAX,
      toolTimeoutMs: SEARCH_MS,
      maxResultChars: RESULT_CHARS_MAX,
      signal: this.abort.signal,
      prepareStep: ({ conversation, step }) => {
        this.#isLastTurn = step === HOSTED_TURNS_MAX - 1;
        return this.#mayCall() ? conversation : withoutTools(conversation);
      },
    });
    for (;;) {
      const next = await loop.next();
      if (next.done) return next.value;
      const event = next.value;
      if (event.type === "chunk") yield event.chunk;
      else if (event.type === "tool_call") yield* said(this.#searching(event.call));
      else if (event.type === "tool_result") {
        const call = this.#calls.get(event.result.call);
        if (call === undefined) continue;
        if (!event.result.isError) this.#found.set(call.id, foundText(call, event.result.text));
        yield* said(this.#relay.searched(call, this.#outcomes.of(event.result.output)));
      }
    }
  }

  #tools() {
    const { trace, tools: hosted, names, web, sources } = this.#options;
    const context = {
      gateway: this.#gateway,
      trace,
      hosted,
      sources,
      web,
      fees: this.#fees,
      room: () => this.#model.room,
      mayRun: () => {
        if (!this.#maySearch()) return false;
        this.#searches += 1;
        return true;
      },
    };
    return searchTools(names, context, this.#outcomes);
  }

  /** Where no search may run any more, the caller's own functions still may. */
  #mayCall(): boolean {
    return !this.#isLastTurn && (this.#options.hasFunctions || this.#maySearch());
  }

  #maySearch(): boolean {
    if (this.#isLastTurn) return false;
    return this.#searches < Math.min(this.#options.callsMax ?? HOSTED_CALLS_MAX, HOSTED_CALLS_MAX);
  }

  #searching(call: LoopToolCall<HostedShapes>): string {
    const type = this.#model.typeOf(call);
    if (type === undefined) return "";
    const id = this.#gateway.rng.id(type === "file_search" ? "fs" : "ws");
    const hosted = { id, type, query: queryIn(call.arguments) };
    this.#calls.set(call, hosted);
    return this.#relay.searching(hosted);
  }

  async #finish(): Promise<void> {
    const { trace, keep } = this.#options;
    await this.#fees.settled();
    const pieces = this.#relay.completed({
      usage: this.#usage(),
      metadata: trace.metadata(trace.billed),
      completedSeconds: Math.floor(this.#gateway.clock.nowMs() / 1_000),
    });
    const last = new FinalEvents(pieces, keep);
    await this.#log({ status: 200, outcome: trace.caller.signal.aborted ? "client_left" : "ok" });
    this.#last = last;
  }

  async #leave(): Promise<void> {
    await this.#drop();
    await this.#log({ status: 200, outcome: "client_left" });
  }

  async #drop(): Promise<void> {
    this.abort.abort("left");
    await Promise.all([this.#model.leave(), this.#fees.settled()]);
  }

  /** Ends everything under way, and settles it; resolves to what the caller is told. */
  async #stop(cause: unknown): Promise<ServiceFault> {
    if (this.#ending !== undefined) {
      await this.#ended();
      return faultOf(cause);
    }
    const shutdown = this.abort.signal.reason === "shutdown";
    this.abort.abort("cut");
    const stopping = Promise.all([this.#model.cut(cause, { shutdown }), this.#fees.settled()]);
    this.#ending = stopping;
    const [cut] = await stopping;
    const fault = cut?.fault ?? (shutdown ? new ServiceFault("shutting_down") : faultOf(cause));
    const { trace } = this.#options;
    return new ServiceFault(fault.code, {
      message: fault.message,
      param: fault.param,
      retryAfterMs: fault.retryAfterMs,
      cause: fault.cause,
      extra: { metadata: trace.metadata(trace.billed) },
    });
  }

  /** Resolves when its end has come, whichever way. Whoever brought it about hears of a failure. */
  async #ended(): Promise<void> {
    await Promise.allSettled([this.#ending]);
  }

  /** The row of a request that has been settled, call by call, before. Once. */
  async #log(end: RequestEnd): Promise<void> {
    if (this.#isLogged) return;
    this.#isLogged = true;
    await logEnd(this.#gateway, this.#options.trace, end);
  }

  /** Of all calls together. */
  #usage(): Usage {
    const { billed } = this.#options.trace;
    return {
      inputTokens: billed?.input_tokens ?? 0,
      cachedInputTokens: billed?.cached_input_tokens ?? 0,
      outputTokens: billed?.output_tokens ?? 0,
    };
  }
}

function* said(text: string): Iterable<string> {
  if (text !== "") yield text;
}

/** As the user's message has it. */
function foundText({ type, query }: HostedCall, text: string): string {
  const kind = type === "file_search" ? "file search" : "web search";
  return `Results of the ${kind} that you made for ${JSON.stringify(query)}:\n${text}`;
}

/** Whether an assistant message has words for its reader. */
function saysText(message = "{}"): boolean {
  const { content, refusal } = JSON.parse(message);
  return Boolean(content ?? refusal);
}

function queryIn(input: string): string {
  try {
    const { query } = Object(JSON.parse(input));
    return typeof query === "string" ? query : "";
  } catch {
    // The tool tells the model what is wrong with it.
    return "";
  }
}
