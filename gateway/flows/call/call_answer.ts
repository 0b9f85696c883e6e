import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import type { Piece, StreamedAnswer } from "../stream/answer_stream.ts";
import type { Begun } from "./attempt.ts";
import type { GatewayContext } from "../context.ts";
import { faultOf } from "./fault_of.ts";
import { FinalEvents, type KeepAnswer } from "../stream/final_events.ts";
import type { RequestTrace } from "../request_trace.ts";
import { type CallFee, type OpenedStream, StreamedCall } from "../stream/streamed_call.ts";

/** What an answer that is one call needs of its request. */
export interface CallAnswerOptions {
  readonly trace: RequestTrace;
  readonly begun: Begun<OpenedStream>;
  /** All text that the model read, for when no usage is reported. */
  readonly inputText: () => string;
  /** What the call costs beside its tokens. */
  readonly fee?: CallFee | undefined;
  /** Called when the answer is whole and settled, before its last event is sent. */
  readonly keep?: KeepAnswer | undefined;
}

/** A streamed answer that is one call of a model: events as they come, the bill, the end. */
export class CallAnswer implements StreamedAnswer {
  readonly abort: AbortController;
  readonly #gateway: GatewayContext;
  readonly #trace: RequestTrace;
  readonly #relay: AnswerRelay;
  readonly #call: StreamedCall;
  readonly #keep: KeepAnswer | undefined;
  /** Settles the call; resolves to what is left to say then. */
  #finishing: Promise<FinalEvents> | undefined;

  constructor(gateway: GatewayContext, options: CallAnswerOptions) {
    this.abort = options.begun.abort;
    this.#gateway = gateway;
    this.#trace = options.trace;
    this.#relay = options.begun.answer.relay;
    this.#call = new StreamedCall(gateway, { ...options, endsRequest: true });
    this.#keep = options.keep;
  }

  async next(): Promise<Piece> {
    if (this.#finishing === undefined) {
      const text = await this.#call.next();
      if (text !== undefined) return { text, last: false };
      if (this.#call.over) return { text: "", last: true };
      this.#finishing = this.#finish();
    }
    const last = await this.#finishing;
    return await last.next();
  }

  async leave(): Promise<void> {
    await this.#call.leave();
    // It may have been whole: who left before its last event may still ask for it.
    await (await this.#finishing)?.drain();
  }

  async fail(cause: unknown): Promise<string> {
    // It was whole by then: its end is what is left of it.
    if (this.#finishing !== undefined) return await (await this.#finishing).drain();
    const { fault, usage } = await this.#call.cut(cause);
    return this.#lastWords(fault, usage);
  }

  async #finish(): Promise<FinalEvents> {
    try {
      const bill = await this.#call.finish();
      const pieces = this.#relay.completed({
        usage: bill.usage,
        metadata: this.#trace.metadata(bill.billing),
        completedSeconds: Math.floor(this.#gateway.clock.nowMs() / 1_000),
      });
      return new FinalEvents(pieces, this.#keep);
    } catch (error) {
      this.#gateway.logger.error("stream_failed", {
        requestId: this.#trace.caller.requestId,
        cause: String(error),
      });
      return new FinalEvents([this.#lastWords(error)]);
    }
  }

  #lastWords(error: unknown, usage?: Usage): string {
    const { dialect, requestId } = this.#trace.caller;
    const envelope = envelopeIn(dialect, faultOf(error).envelope(requestId));
    const metadata = this.#trace.metadata(this.#trace.billed);
    const end = usage === undefined ? { metadata } : { metadata, usage };
    return [...this.#relay.failed(envelope, end)].join("");
  }
}
