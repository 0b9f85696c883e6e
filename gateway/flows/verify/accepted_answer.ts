import type { AnswerRelay } from "../../wire/answer_relay.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import type { Candidate } from "../../domain/routing/plan.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { Clock } from "../../ports/clock.ts";
import { chunksOf } from "../../wire/chat/whole_answer.ts";
import { envelopeIn } from "../../wire/metadata.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { faultOf } from "../request/fault_of.ts";
import type { RequestEnd } from "../request/report.ts";
import { logEnd, type LogEndDeps } from "../settle/log_end.ts";
import type { Piece, StreamedAnswer } from "../stream/answer_stream.ts";
import { FinalEvents, type StoreAnswer } from "../stream/final_events.ts";

/** An answer that was accepted, and is settled. */
export interface AcceptedCompletion {
  readonly candidate: Candidate;
  /** The completion as its upstream sent it. */
  readonly body: JsonBody;
  /** Usage of its call. */
  readonly usage: Usage;
}

/** The stream of an accepted answer in the form of an endpoint. */
export interface AcceptedStream {
  readonly relay: AnswerRelay;
  /** Called before the last event is sent. */
  readonly store?: StoreAnswer | undefined;
}

/** An accepted answer as a stream: its text, its log row, and its final events. */
export class AcceptedAnswer implements StreamedAnswer {
  readonly abort = new AbortController();
  readonly #deps: LogEndDeps & { readonly clock: Pick<Clock, "nowMs"> };
  readonly #active: ActiveRequest;
  readonly #usage: Usage;
  readonly #stream: AcceptedStream;
  readonly #chunks: string[];
  #finishing: Promise<FinalEvents> | undefined;

  constructor(
    deps: LogEndDeps & { readonly clock: Pick<Clock, "nowMs"> },
    active: ActiveRequest,
    { body, usage, stream }: AcceptedCompletion & { readonly stream: AcceptedStream },
  ) {
    this.#deps = deps;
    this.#active = active;
    this.#usage = usage;
    this.#stream = stream;
    this.#chunks = chunksOf(body.value);
  }

  async next(): Promise<Piece> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) return { text: this.#stream.relay.accept(chunk), last: false };
    this.#finishing ??= this.#finish();
    return await (await this.#finishing).next();
  }

  async leave(): Promise<void> {
    if (this.#finishing === undefined) await this.#log({ status: 200, outcome: "client_left" });
    // The answer is complete: a caller that disconnects now can still retrieve it, if it is stored.
    else await (await this.#finishing).drain();
  }

  async fail(cause: unknown): Promise<string> {
    if (this.#finishing !== undefined) return await (await this.#finishing).drain();
    const { identity: { dialect, requestId }, report, bill } = this.#active;
    const fault = faultOf(cause);
    await this.#log({ status: 200, outcome: "cut", errorCode: fault.code });
    const end = { metadata: report.metadata(bill.settled), usage: this.#usage };
    const envelope = envelopeIn(dialect, { metadata: end.metadata, ...fault.envelope(requestId) });
    return [...this.#stream.relay.failed(envelope, end)].join("");
  }

  async #finish(): Promise<FinalEvents> {
    const { report, bill } = this.#active;
    const { relay, store } = this.#stream;
    relay.upstreamEnded();
    await this.#log({ status: 200, outcome: "ok" });
    const pieces = relay.completed({
      usage: this.#usage,
      metadata: report.metadata(bill.settled),
      completedSeconds: Math.floor(this.#deps.clock.nowMs() / 1_000),
    });
    return new FinalEvents(pieces, store);
  }

  #log(end: RequestEnd): Promise<void> {
    this.#active.noteOutcome(end.outcome);
    return logEnd(this.#deps, this.#active, end);
  }
}
