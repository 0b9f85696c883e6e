import type { ModelEvent, ModelPort, ModelRequest, TurnFinishReason } from "@svc/sdk/loop";
import type { ConversationPort } from "@svc/sdk/loop";
import type { JsonBody } from "../../ports/upstream.ts";
import { requestText } from "../../wire/chat/text.ts";
import type { PartRelay } from "../../wire/chat/part_relay.ts";
import type { Begun } from "../call/attempt.ts";
import { CallerDisconnected } from "../call/caller_disconnected.ts";
import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";
import { type CutCall, type OpenedStream, StreamedCall } from "../stream/streamed_call.ts";

/** The shapes of the loop that runs a part of a request. */
export interface PartShapes {
  /** A chat request. */
  conversation: JsonBody;
  /** What the model said. */
  turn: string;
  /** No part has tools. */
  call: never;
  chunk: never;
}

/** A part is one turn: there is nothing to write down. */
export const partSurface: ConversationPort<PartShapes> = {
  withAssistantTurn: (conversation) => conversation,
  withToolResults: (conversation) => conversation,
  withAutoToolChoice: (conversation) => conversation,
};

/** An answer that has begun, of a part. */
export type PartBegun = Begun<OpenedStream<PartRelay>>;

/** The call of one part of a request: held and settled on its own. */
export class PartModel implements ModelPort<PartShapes> {
  readonly #gateway: GatewayContext;
  readonly #trace: RequestTrace;
  readonly #begin: (conversation: JsonBody, signal: AbortSignal) => Promise<PartBegun>;
  #beginning: Promise<StreamedCall> | undefined;

  constructor(
    gateway: GatewayContext,
    options: {
      readonly trace: RequestTrace;
      /** Begins the call. Throws where nobody answers. */
      readonly begin: (conversation: JsonBody, signal: AbortSignal) => Promise<PartBegun>;
    },
  ) {
    this.#gateway = gateway;
    this.#trace = options.trace;
    this.#begin = options.begin;
  }

  async *turn(
    { conversation, signal }: ModelRequest<PartShapes>,
  ): AsyncGenerator<ModelEvent<PartShapes>, void, void> {
    let relay: PartRelay | undefined;
    this.#beginning = this.#begin(conversation, signal).then((begun) => {
      relay = begun.answer.relay;
      return new StreamedCall(this.#gateway, {
        trace: this.#trace,
        begun,
        inputText: () => requestText(conversation.value),
        endsRequest: false,
      });
    });
    const call = await this.#beginning;
    let said = "";
    for (;;) {
      const take = await call.next();
      // What is taken counts as delivered: nobody has what comes after the part was ended.
      if (signal.aborted) throw new CallerDisconnected("The part was ended before its end");
      if (take === undefined) break;
      const text = take();
      if (text === "") continue;
      said += text;
      yield { type: "text_delta", text };
    }
    if (call.over) throw new CallerDisconnected("The part was ended before its end");
    await call.finish();
    const finishReason = FINISHES[relay?.finishReason ?? "stop"] ?? "other";
    yield { type: "finish", finishReason, turn: said };
  }

  /** Nobody waits for more: ends the call and settles it, where one has begun. Never throws. */
  async leave(): Promise<void> {
    await (await this.#begun())?.leave();
  }

  /** Settles the call after a failure; `undefined` where none had begun. Never throws. */
  async cut(cause: unknown, options: { readonly shutdown: boolean }): Promise<CutCall | undefined> {
    return await (await this.#begun())?.cut(cause, options);
  }

  /** The call, once it is not being begun any more. Whoever began it hears of a failure. */
  async #begun(): Promise<StreamedCall | undefined> {
    return await this.#beginning?.catch(() => undefined);
  }
}

/** Finish reasons of Chat Completions. */
const FINISHES: Readonly<Record<string, TurnFinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};
