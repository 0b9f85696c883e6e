import type { ModelEvent, ModelPort, ModelRequest, TurnFinishReason } from "@svc/sdk/loop";
import { ServiceFault } from "../../domain/fault.ts";
import { HOSTED_TOOL_TYPES, type HostedToolType } from "../../domain/requests/hosted_tool_types.ts";
import { invariant } from "../../domain/invariant.ts";
import { requestText } from "../../wire/chat/text.ts";
import type { HostedNames, HostedRelay } from "../../wire/hosted/relay.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";
import type { BegunCall } from "../call/attempt.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { OpenedStream } from "../stream/opened_stream.ts";
import { type CutCall, type StreamDeps, StreamedCall } from "../stream/streamed_call.ts";
import {
  type HostedShapes,
  outputLimitOf,
  withLessOutput,
  withoutResults,
  withoutTools,
} from "./hosted_conversation.ts";
import { ResultBudget } from "./result_budget.ts";

/**
 * Name in the loop for every tool that is not the gateway's: functions of the caller, and names
 * that a model invented. A call of it ends the loop.
 */
export const CALLERS_TOOL = "(caller)";

const LEFT_OUT = "The results are too long to be read and were left out. Answer without them.";
const RESULTS_LEFT_OUT = "tools: what was searched for was found, but was too long for the model";
/** Wording of providers; their error codes only say that the request is invalid. */
const TOO_LONG = /context[ _](?:length|window)|too (?:long|many tokens)/i;

type TurnBegun = BegunCall<OpenedStream<HostedRelay>>;

/** The turns of a hosted answer: each is routed, held and settled as a separate call. */
export class HostedModel implements ModelPort<HostedShapes> {
  readonly #deps: StreamDeps;
  readonly #active: ActiveRequest;
  readonly #types: ReadonlyMap<string, HostedToolType>;
  readonly #begin: (conversation: ChatBody) => Promise<TurnBegun>;
  readonly #relay: HostedRelay;
  /** Number of messages in the request of the first turn: results of searches follow them. */
  readonly #firstMessages: number;
  /** Maximum tokens of output in all turns together. */
  readonly #outputLimit: number;
  #budget: ResultBudget | undefined;
  /** The turn that is being begun, or was begun last. */
  #beginning: Promise<unknown> | undefined;
  /** The call in progress; absent between turns. */
  #current: StreamedCall | undefined;

  constructor(
    deps: StreamDeps,
    options: {
      readonly active: ActiveRequest;
      readonly conversation: ChatBody;
      readonly names: HostedNames;
      readonly begunCall: TurnBegun;
      readonly begin: (conversation: ChatBody) => Promise<TurnBegun>;
    },
  ) {
    this.#deps = deps;
    this.#active = options.active;
    this.#begin = options.begin;
    this.#relay = options.begunCall.answer.relay;
    this.#firstMessages = options.conversation.value.messages.length;
    this.#outputLimit = outputLimitOf(options.conversation);
    // The first call runs already and must be ended, even if its turn is never requested.
    this.#current = this.#follow(options.begunCall, options.conversation);
    this.#types = new Map(HOSTED_TOOL_TYPES.flatMap((type) => {
      const name = options.names[type];
      return name === undefined ? [] : [[name, type] as const];
    }));
  }

  /** Returns the hosted tool that a call is for; `undefined` for a function of the caller. */
  typeOf({ name }: { readonly name: string }): HostedToolType | undefined {
    return this.#types.get(name);
  }

  /** Remaining budget of the current turn for results of searches. */
  get resultBudget(): ResultBudget {
    invariant(this.#budget !== undefined, "Cannot search before the first turn");
    return this.#budget;
  }

  async *turn(
    { conversation }: ModelRequest<HostedShapes>,
  ): AsyncGenerator<ModelEvent<HostedShapes>, void, void> {
    const call = this.#current ?? await this.#beginTurn(conversation);
    for (;;) {
      const chunk = await call.next();
      if (chunk === undefined) break;
      yield { type: "chunk", chunk };
    }
    if (call.over) throw new CallerDisconnected("The caller disconnected before the answer");
    await call.finish();
    this.#current = undefined;
    yield* this.#ended();
  }

  /** Ends and settles the turn in progress, because the caller has disconnected. Never throws. */
  async leave(): Promise<void> {
    await this.#pendingTurn();
    await this.#current?.leave();
  }

  /**
   * Settles the turn in progress after a failure; resolves to `undefined` if there is none. Never
   * throws.
   */
  async cut(cause: unknown, options: { readonly shutdown: boolean }): Promise<CutCall | undefined> {
    await this.#pendingTurn();
    return await this.#current?.cut(cause, options);
  }

  /** Resolves when no turn is being begun. */
  async #pendingTurn(): Promise<void> {
    // The code that began the turn receives a failure; here it means that there is nothing to end.
    await this.#beginning?.catch(() => {});
  }

  async #beginTurn(conversation: ChatBody): Promise<StreamedCall> {
    const beginning = this.#open(withLessOutput(conversation, this.#outputTokens));
    this.#beginning = beginning;
    return await beginning;
  }

  async #open(conversation: ChatBody): Promise<StreamedCall> {
    try {
      return this.#current = this.#follow(await this.#begin(conversation), conversation);
    } catch (error) {
      if (!isTooLong(error)) throw error;
      // The earlier turns are paid for: an answer without the results is better than none.
      const from = this.#firstMessages;
      const shorter = withoutTools(withoutResults(conversation, { from, note: LEFT_OUT }));
      const begunCall = await this.#begin(shorter);
      this.#active.report.addOmission(RESULTS_LEFT_OUT);
      return this.#current = this.#follow(begunCall, shorter);
    }
  }

  /** Output tokens of the turns that have ended. */
  get #outputTokens(): number {
    return this.#active.bill.settled?.output_tokens ?? 0;
  }

  #follow(begunCall: TurnBegun, conversation: ChatBody): StreamedCall {
    this.#budget = new ResultBudget(begunCall.candidate.model, conversation);
    return new StreamedCall(this.#deps, {
      active: this.#active,
      begunCall,
      inputText: () => requestText(conversation.value),
      endsRequest: false,
    });
  }

  *#ended(): Iterable<ModelEvent<HostedShapes>> {
    const { events, message, calls, finishReason } = this.#relay.endTurn();
    if (events !== "") yield { type: "chunk", chunk: events };
    const needsSearch = calls.length > 0 && calls.every((call) => this.typeOf(call) !== undefined);
    if (needsSearch && this.#outputTokens >= this.#outputLimit) {
      // No turn remains that could read the results.
      this.#relay.limitReached();
      yield { type: "finish", finishReason: "length", turn: message };
      return;
    }
    for (const { id, name, arguments: input, text } of calls) {
      const known = this.#types.has(name) ? name : CALLERS_TOOL;
      yield { type: "tool_call", call: { id, name: known, arguments: input, raw: text } };
    }
    yield { type: "finish", finishReason: FINISHES[finishReason] ?? "other", turn: message };
  }
}

function isTooLong(error: unknown): boolean {
  if (!(error instanceof ServiceFault)) return false;
  return error.code === "context_length_exceeded" ||
    error.code === "invalid_request" && TOO_LONG.test(error.message);
}

/** Finish reasons of Chat Completions. */
const FINISHES: Readonly<Record<string, TurnFinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};
