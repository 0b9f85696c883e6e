import type { Usage } from "../../domain/ledger/pricing.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import type { Piece, StreamedAnswer } from "./answer_stream.ts";
import type { BegunCall } from "../call/attempt.ts";
import { faultOf } from "../request/fault_of.ts";
import { FinalEvents, type StoreAnswer } from "./final_events.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import type { OpenedStream } from "./opened_stream.ts";
import { type CallFee, type StreamDeps, StreamedCall } from "./streamed_call.ts";

/** Options of an answer that is one call. */
export interface CallAnswerOptions {
  readonly active: ActiveRequest;
  readonly begunCall: BegunCall<OpenedStream>;
  /** Returns all text that the model read, for a call without reported usage. */
  readonly inputText: () => string;
  /** Returns the cost of the call beside its tokens. */
  readonly fee?: CallFee | undefined;
  /** Called when the answer is complete and settled, before its last event is sent. */
  readonly store?: StoreAnswer | undefined;
}

/** A streamed answer that is one call of a model: its events, its settlement, its final events. */
export class CallAnswer implements StreamedAnswer {
  readonly abort: AbortController;
  readonly #deps: StreamDeps;
  readonly #active: ActiveRequest;
  readonly #relay: AnswerRelay;
  readonly #call: StreamedCall;
  readonly #store: StoreAnswer | undefined;
  /** Settlement of the call; resolves to the final events. */
  #finishing: Promise<FinalEvents> | undefined;

  constructor(deps: StreamDeps, options: CallAnswerOptions) {
    this.abort = options.begunCall.abort;
    this.#deps = deps;
    this.#active = options.active;
    this.#relay = options.begunCall.answer.relay;
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
    // The answer may be complete and stored: a caller that disconnects before the last event can
    // still retrieve it.
    await (await this.#finishing)?.drain();
  }

  async fail(cause: unknown): Promise<string> {
    // The answer is complete: only its final events remain.
    if (this.#finishing !== undefined) return await (await this.#finishing).drain();
    const { fault, usage } = await this.#call.cut(cause);
    return this.#failureText(fault, usage);
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
      return new FinalEvents([this.#failureText(error)]);
    }
  }

  #failureText(error: unknown, usage?: Usage): string {
    const { dialect, requestId } = this.#active.identity;
    const metadata = this.#active.report.metadata(this.#active.bill.settled);
    const envelope = envelopeIn(dialect, { metadata, ...faultOf(error).envelope(requestId) });
    const end = usage === undefined ? { metadata } : { metadata, usage };
    return [...this.#relay.failed(envelope, end)].join("");
  }
}
