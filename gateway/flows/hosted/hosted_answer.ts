/**
 * An answer whose hosted tools the gateway runs: the shared loop, with calls of models as turns and
 * searches between them. Every turn and every search has its own hold and settlement.
 *
 * @module
 */

import type { StreamDeps } from "../stream/streamed_call.ts";
import type { SearchMemory } from "./search_memory.ts";
import { agentLoop, type LoopResult, type LoopToolCall } from "@svc/sdk/loop";
import { ServiceFault } from "../../domain/fault.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { HostedCall, HostedNames, HostedRelay } from "../../wire/hosted/relay.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import type { Piece, StreamedAnswer } from "../stream/answer_stream.ts";
import type { BegunCall } from "../call/attempt.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { faultOf } from "../request/fault_of.ts";
import { FinalEvents, type StoreAnswer } from "../stream/final_events.ts";
import { logEnd, type LogEndDeps } from "../settle/log_end.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { RequestEnd } from "../request/report.ts";
import type { OpenedStream } from "../stream/opened_stream.ts";
import { type HostedShapes, hostedSurface, withoutTools } from "./hosted_conversation.ts";
import type { BeginTurn } from "./hosted_setup.ts";
import type { HostedTools } from "./hosted_tools.ts";
import { CALLERS_TOOL, HostedModel } from "./hosted_model.ts";
import { RESULT_CHARS_MAX } from "./result_budget.ts";
import { type SearchFeeDeps, SearchFees } from "./search_fees.ts";
import {
  type PricedWebSearch,
  type SearchDeps,
  SearchOutcomes,
  searchTools,
} from "./search_tools.ts";
import type { Sources } from "./sources.ts";

/** Maximum turns of a model for one answer; in the last one no tool may be called. */
export const HOSTED_TURNS_MAX = 8;
/** Maximum searches for one answer. */
export const HOSTED_CALLS_MAX = 16;
/** Maximum duration of a search, in milliseconds. */
const SEARCH_MS = 30_000;

/** Parts of the service that an answer with hosted tools uses. */
export type HostedAnswerDeps = StreamDeps & SearchFeeDeps & SearchDeps & LogEndDeps & {
  readonly searchMemory: Pick<SearchMemory, "remember">;
};

/** Options of a hosted answer. */
export interface HostedAnswerOptions {
  readonly active: ActiveRequest;
  readonly tools: HostedTools;
  readonly names: HostedNames;
  /** True when functions of the caller are declared beside the hosted tools. */
  readonly hasFunctions: boolean;
  readonly web: PricedWebSearch | undefined;
  readonly sources: Sources;
  readonly conversation: ChatBody;
  /** The first turn. */
  readonly begunCall: BegunCall<OpenedStream<HostedRelay>>;
  /** Begins a later turn. Throws if no model answers. */
  readonly begin: BeginTurn;
  /** Maximum searches that the caller allows. @default {HOSTED_CALLS_MAX} */
  readonly callsMax?: number | undefined;
  /** Called when the answer is complete and settled, before its last event is sent. */
  readonly store?: StoreAnswer | undefined;
}

/** An answer that is a loop of calls; the caller receives one stream or one body. */
export class HostedAnswer implements StreamedAnswer {
  readonly abort = new AbortController();
  readonly #deps: HostedAnswerDeps;
  readonly #options: HostedAnswerOptions;
  readonly #relay: HostedRelay;
  readonly #model: HostedModel;
  readonly #outcomes = new SearchOutcomes();
  readonly #calls = new Map<LoopToolCall<HostedShapes>, HostedCall>();
  readonly #events: AsyncGenerator<Piece["text"], LoopResult<HostedShapes>, void>;
  readonly #fees: SearchFees;
  readonly #findings = new Map<string, string>();
  #searches = 0;
  #isLastTurn = false;
  #isLogged = false;
  /** The end of the answer, in whatever way: once it is set, nothing new begins. */
  #ending: Promise<unknown> | undefined;
  #last: FinalEvents | undefined;

  constructor(deps: HostedAnswerDeps, options: HostedAnswerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#relay = options.begunCall.answer.relay;
    const { signal } = this.abort;
    this.#model = new HostedModel(deps, {
      ...options,
      begin: (conversation) => options.begin(conversation, signal),
    });
    this.#fees = new SearchFees(deps, options.active);
    this.#events = this.#run();
  }

  async next(): Promise<Piece> {
    if (this.#ending === undefined) {
      const next = await this.#events.next();
      if (!next.done) return { text: next.value, last: false };
      // An answer that was ended meanwhile has no reader.
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
   * Results of its searches that no text of it cites, by the ids of their items: the model must
   * read them when the caller continues.
   */
  get findings(): ReadonlyMap<string, string> {
    return this.#findings;
  }

  async leave(): Promise<void> {
    this.#ending ??= this.#leave();
    await this.#ended();
    // The answer may be complete and stored: a caller that disconnects before the last event can
    // still retrieve it.
    await this.#last?.drain();
  }

  async fail(cause: unknown): Promise<string> {
    const fault = await this.#stop(cause);
    // The answer is complete: only its final events remain.
    if (this.#last !== undefined) return await this.#last.drain();
    await this.#log({ status: 200, outcome: "cut", errorCode: fault.code });
    const { active } = this.#options;
    const end = { metadata: active.report.metadata(active.bill.settled), usage: this.#usage() };
    const { dialect, requestId } = active.identity;
    return [...this.#relay.failed(envelopeIn(dialect, fault.envelope(requestId)), end)].join("");
  }

  /**
   * Returns the complete answer for a caller that does not stream. Throws if it fails; then it is
   * not logged.
   */
  async complete(): Promise<string> {
    const { signal } = this.#options.active;
    const unwatch = this.#deps.inFlight.watch(this.abort);
    // The code that called this method logs the failure.
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
    throw new CallerDisconnected("The caller disconnected before the answer");
  }

  #remember({ stoppedBy, steps, pendingCalls }: LoopResult<HostedShapes>): void {
    if (stoppedBy === "finish" && saysText(steps.at(-1)?.turn)) return this.#findings.clear();
    const calls = pendingCalls.map(({ raw }) => raw);
    this.#deps.searchMemory.remember(this.#options.active.key.id, {
      findings: this.#findings,
      calls,
    });
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
      else if (event.type === "tool_call") yield* nonEmpty(this.#searching(event.call));
      else if (event.type === "tool_result") {
        const call = this.#calls.get(event.result.call);
        if (call === undefined) continue;
        if (!event.result.isError) {
          this.#findings.set(call.id, findingText(call, event.result.text));
        }
        yield* nonEmpty(this.#relay.searched(call, this.#outcomes.of(event.result.output)));
      }
    }
  }

  #tools() {
    const { active, tools: hosted, names, web, sources } = this.#options;
    const context = {
      deps: this.#deps,
      active,
      hosted,
      sources,
      web,
      fees: this.#fees,
      budget: () => this.#model.resultBudget,
      mayRun: () => {
        if (!this.#maySearch()) return false;
        this.#searches += 1;
        return true;
      },
    };
    return searchTools(names, context, this.#outcomes);
  }

  /** Functions of the caller may be called even if no more searches may run. */
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
    const id = this.#deps.rng.id(type === "file_search" ? "fs" : "ws");
    const hosted = { id, type, query: queryIn(call.arguments) };
    this.#calls.set(call, hosted);
    return this.#relay.searching(hosted);
  }

  async #finish(): Promise<void> {
    const { active, store } = this.#options;
    await this.#fees.settled();
    const pieces = this.#relay.completed({
      usage: this.#usage(),
      metadata: active.report.metadata(active.bill.settled),
      completedSeconds: Math.floor(this.#deps.clock.nowMs() / 1_000),
    });
    const last = new FinalEvents(pieces, store);
    await this.#log({ status: 200, outcome: active.signal.aborted ? "client_left" : "ok" });
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

  /** Ends and settles everything in progress; resolves to the fault for the caller. */
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
    const fault = cut?.fault ?? (shutdown ? this.#deps.inFlight.endFault() : faultOf(cause));
    const { active } = this.#options;
    return new ServiceFault(fault.code, {
      message: fault.message,
      param: fault.param,
      retryAfterMs: fault.retryAfterMs,
      cause: fault.cause,
      extra: { metadata: active.report.metadata(active.bill.settled) },
    });
  }

  /**
   * Resolves when the answer has ended, in whatever way. The code that ended it receives a failure.
   */
  async #ended(): Promise<void> {
    await Promise.allSettled([this.#ending]);
  }

  /** Writes the log row of the request, whose calls have been settled one by one. Once. */
  async #log(end: RequestEnd): Promise<void> {
    if (this.#isLogged) return;
    this.#isLogged = true;
    await logEnd(this.#deps, this.#options.active, end);
  }

  /** Returns the usage of all calls together. */
  #usage(): Usage {
    const { settled: billed } = this.#options.active.bill;
    return {
      inputTokens: billed?.input_tokens ?? 0,
      cachedInputTokens: billed?.cached_input_tokens ?? 0,
      outputTokens: billed?.output_tokens ?? 0,
    };
  }
}

function* nonEmpty(text: string): Iterable<string> {
  if (text !== "") yield text;
}

/** Returns the text of a result as a message of the user. */
function findingText({ type, query }: HostedCall, text: string): string {
  const kind = type === "file_search" ? "file search" : "web search";
  return `Results of the ${kind} that you made for ${JSON.stringify(query)}:\n${text}`;
}

/** True when a message of the assistant has text for its reader. */
function saysText(message = "{}"): boolean {
  const { content, refusal } = JSON.parse(message);
  return Boolean(content ?? refusal);
}

function queryIn(input: string): string {
  try {
    const { query } = Object(JSON.parse(input));
    return typeof query === "string" ? query : "";
  } catch {
    // The tool reports invalid arguments to the model.
    return "";
  }
}
