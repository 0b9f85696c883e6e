import type { ModelEvent, ModelPort, ModelRequest, TurnFinishReason } from "@svc/sdk/loop";
import type { ConversationPort } from "@svc/sdk/loop";
import type { JsonBody } from "../../ports/upstream.ts";
import { requestText } from "../../wire/chat/text.ts";
import type { PartRelay } from "../../wire/chat/part_relay.ts";
import type { BegunCall } from "../call/attempt.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { OpenedStream } from "../stream/opened_stream.ts";
import { type CutCall, type StreamDeps, StreamedCall } from "../stream/streamed_call.ts";

/** The shapes of the loop that runs a part of a request. */
export interface PartShapes {
  /** A chat request. */
  conversation: JsonBody;
  /** Text of the model. */
  turn: string;
  /** No part has tools. */
  call: never;
  chunk: never;
}

/** A part is one turn: its conversation does not change. */
export const partSurface: ConversationPort<PartShapes> = {
  withAssistantTurn: (conversation) => conversation,
  withToolResults: (conversation) => conversation,
  withAutoToolChoice: (conversation) => conversation,
};

/** The answer of a part that has begun. */
export type PartBegun = BegunCall<OpenedStream<PartRelay>>;

/** The call of one part of a request, held and settled separately. */
export class PartModel implements ModelPort<PartShapes> {
  readonly #deps: StreamDeps;
  readonly #active: ActiveRequest;
  readonly #begin: (conversation: JsonBody, signal: AbortSignal) => Promise<PartBegun>;
  #beginning: Promise<StreamedCall> | undefined;

  constructor(
    deps: StreamDeps,
    options: {
      readonly active: ActiveRequest;
      /** Begins the call. Throws if no model answers. */
      readonly begin: (conversation: JsonBody, signal: AbortSignal) => Promise<PartBegun>;
    },
  ) {
    this.#deps = deps;
    this.#active = options.active;
    this.#begin = options.begin;
  }

  async *turn(
    { conversation, signal }: ModelRequest<PartShapes>,
  ): AsyncGenerator<ModelEvent<PartShapes>, void, void> {
    let relay: PartRelay | undefined;
    this.#beginning = this.#begin(conversation, signal).then((begunCall) => {
      relay = begunCall.answer.relay;
      return new StreamedCall(this.#deps, {
        active: this.#active,
        begunCall,
        inputText: () => requestText(conversation.value),
        endsRequest: false,
      });
    });
    const call = await this.#beginning;
    let answer = "";
    for (;;) {
      const take = await call.next();
      // Text that was returned counts as delivered, so none is returned once the part has ended.
      if (signal.aborted) throw new CallerDisconnected("The part was ended before its end");
      if (take === undefined) break;
      const text = take();
      if (text === "") continue;
      answer += text;
      yield { type: "text_delta", text };
    }
    if (call.over) throw new CallerDisconnected("The part was ended before its end");
    await call.finish();
    const finishReason = FINISHES[relay?.finishReason ?? "stop"] ?? "other";
    yield { type: "finish", finishReason, turn: answer };
  }

  /**
   * Ends the call and settles it, if one has begun, because the caller has disconnected. Never
   * throws.
   */
  async leave(): Promise<void> {
    await (await this.#pendingCall())?.leave();
  }

  /** Settles the call after a failure; resolves to `undefined` if none had begun. Never throws. */
  async cut(cause: unknown, options: { readonly shutdown: boolean }): Promise<CutCall | undefined> {
    return await (await this.#pendingCall())?.cut(cause, options);
  }

  /** Returns the call once it has begun. The code that began it receives a failure. */
  async #pendingCall(): Promise<StreamedCall | undefined> {
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
