import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import type { Piece, StreamedAnswer } from "./answer_stream.ts";
import type { Begun } from "../call/attempt.ts";
import { faultOf } from "../request/fault_of.ts";
import { FinalEvents, type StoreAnswer } from "./final_events.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { type OpenedStream } from "./opened_stream.ts";
import { type CallFee, type StreamDeps, StreamedCall } from "./streamed_call.ts";

/** What an answer that is one call needs of its request. */
export interface CallAnswerOptions {
  readonly active: ActiveRequest;
  readonly begun: Begun<OpenedStream>;
  /** All text that the model read, for when no usage is reported. */
  readonly inputText: () => string;
  /** What the call costs beside its tokens. */
  readonly fee?: CallFee | undefined;
  /** Called when the answer is whole and settled, before its last event is sent. */
  readonly store?: StoreAnswer | undefined;
}

/** A streamed answer that is one call of a model: events as they come, the bill, the end. */
export class CallAnswer implements StreamedAnswer {
  readonly abort: AbortController;
  readonly #deps: StreamDeps;
  readonly #active: ActiveRequest;
  readonly #relay: AnswerRelay;
  readonly #call: StreamedCall;
  readonly #store: StoreAnswer | undefined;
  /** Settles the call; resolves to what is left to say then. */
  #finishing: Promise<FinalEvents> | undefined;

  constructor(deps: StreamDeps, options: CallAnswerOptions) {
    this.abort = options.begun.abort;
    this.#deps = deps;
    this.#active = options.active;
    this.#relay = options.begun.answer.relay;
    this.#call = new StreamedCall(deps, { ...options, endsRequest: true });
    this.#store = options.store;
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
        metadata: this.#active.report.metadata(bill.billing),
        completedSeconds: Math.floor(this.#deps.clock.nowMs() / 1_000),
      });
      return new FinalEvents(pieces, this.#store);
    } catch (error) {
      this.#deps.logger.error("stream_failed", {
        requestId: this.#active.identity.requestId,
        cause: String(error),
      });
      return new FinalEvents([this.#lastWords(error)]);
    }
  }

  #lastWords(error: unknown, usage?: Usage): string {
    const { dialect, requestId } = this.#active.identity;
    const envelope = envelopeIn(dialect, faultOf(error).envelope(requestId));
    const metadata = this.#active.report.metadata(this.#active.bill.settled);
    const end = usage === undefined ? { metadata } : { metadata, usage };
    return [...this.#relay.failed(envelope, end)].join("");
  }
}
