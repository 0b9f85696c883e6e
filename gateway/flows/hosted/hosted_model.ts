import type { ModelEvent, ModelPort, ModelRequest, Tool, TurnFinishReason } from "@svc/sdk/loop";
import { HOSTED_TOOL_TYPES, type HostedToolType } from "../../domain/hosted_tool_types.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { requestText } from "../../wire/chat_text.ts";
import type { HostedNames, HostedRelay } from "../../wire/hosted_relay.ts";
import type { Begun } from "../attempt.ts";
import { CallerLeft } from "../caller_left.ts";
import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";
import { type CutCall, type OpenedStream, StreamedCall } from "../streamed_call.ts";
import type { HostedShapes } from "./hosted_conversation.ts";

/**
 * Stands for every tool that is not the gateway's: the caller's functions, and names that a model
 * made up. A call of it ends the loop.
 */
export const CALLERS_TOOL: Tool = { name: "(caller)", parameters: {} };

type TurnBegun = Begun<OpenedStream<HostedRelay>>;

/** Turns of a hosted answer: each is routed, held and settled as a call of its own. */
export class HostedModel implements ModelPort<HostedShapes> {
  readonly #gateway: GatewayContext;
  readonly #trace: RequestTrace;
  readonly #types: ReadonlyMap<string, HostedToolType>;
  readonly #begin: (conversation: JsonBody) => Promise<TurnBegun>;
  readonly #relay: HostedRelay;
  /** The turn that is being begun, or was begun last. */
  #beginning: Promise<unknown> | undefined;
  /** The call under way; absent between turns. */
  #current: StreamedCall | undefined;

  constructor(
    gateway: GatewayContext,
    options: {
      readonly trace: RequestTrace;
      readonly conversation: JsonBody;
      readonly names: HostedNames;
      readonly begun: TurnBegun;
      readonly begin: (conversation: JsonBody) => Promise<TurnBegun>;
    },
  ) {
    this.#gateway = gateway;
    this.#trace = options.trace;
    this.#begin = options.begin;
    this.#relay = options.begun.answer.relay;
    // It runs already: from now on there is a call to end, whether its turn is ever asked for or not.
    this.#current = this.#follow(options.begun, options.conversation);
    this.#types = new Map(HOSTED_TOOL_TYPES.flatMap((type) => {
      const name = options.names[type];
      return name === undefined ? [] : [[name, type] as const];
    }));
  }

  /** Which hosted tool a call is of; `undefined` where it is the caller's. */
  typeOf({ name }: { readonly name: string }): HostedToolType | undefined {
    return this.#types.get(name);
  }

  async *turn(
    { conversation }: ModelRequest<HostedShapes>,
  ): AsyncGenerator<ModelEvent<HostedShapes>, void, void> {
    const call = this.#current ?? await this.#beginTurn(conversation);
    for (;;) {
      const chunk = await call.read();
      if (chunk === undefined) break;
      yield { type: "chunk", chunk };
    }
    if (call.over) throw new CallerLeft("The caller left before the answer");
    await call.finish();
    this.#current = undefined;
    yield* this.#ended();
  }

  /** Nobody waits for more: ends the turn under way and settles it. Never throws. */
  async leave(): Promise<void> {
    await this.#begun();
    await this.#current?.leave();
  }

  /** Settles the turn under way after a failure; `undefined` where none is. Never throws. */
  async cut(cause: unknown, options: { readonly shutdown: boolean }): Promise<CutCall | undefined> {
    await this.#begun();
    return await this.#current?.cut(cause, options);
  }

  /** Resolves when no turn is being begun. */
  async #begun(): Promise<void> {
    // Whoever began it hears of a failure; here it only means that there is nothing to end.
    await this.#beginning?.catch(() => {});
  }

  async #beginTurn(conversation: JsonBody): Promise<StreamedCall> {
    const beginning = this.#begin(conversation).then((begun) =>
      this.#current = this.#follow(begun, conversation)
    );
    this.#beginning = beginning;
    return await beginning;
  }

  #follow(begun: TurnBegun, conversation: JsonBody): StreamedCall {
    return new StreamedCall(this.#gateway, {
      trace: this.#trace,
      begun,
      inputText: () => requestText(conversation.value),
      endsRequest: false,
    });
  }

  *#ended(): Iterable<ModelEvent<HostedShapes>> {
    const { events, message, calls, finishReason } = this.#relay.endTurn();
    if (events !== "") yield { type: "chunk", chunk: events };
    for (const { id, name, arguments: input, text } of calls) {
      const known = this.#types.has(name) ? name : CALLERS_TOOL.name;
      yield { type: "tool_call", call: { id, name: known, arguments: input, raw: text } };
    }
    yield { type: "finish", finishReason: FINISHES[finishReason] ?? "other", turn: message };
  }
}

/** Finish reasons of Chat Completions. */
const FINISHES: Readonly<Record<string, TurnFinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};
