/**
 * One streamed call of a model: what it sends as text for the caller, and its bill however it ends.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { UpstreamCut, type UpstreamStream } from "../../ports/upstream.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";
import type { Begun } from "../call/attempt.ts";
import { type Bill, type CallEnd, countTokens, settleCall } from "../settle/bill.ts";
import { CallProgress } from "./call_progress.ts";
import { wordsIn } from "../call/failed_attempts.ts";
import type { GatewayContext } from "../context.ts";
import { drain } from "./drain.ts";
import { faultOf } from "../call/fault_of.ts";
import { EventBatcher } from "./event_batcher.ts";
import { OutputMeter } from "./output_meter.ts";
import type { RequestTrace } from "../request_trace.ts";

/** A streamed call whose first events have come. */
export interface OpenedStream<Relay extends AnswerRelay = AnswerRelay> {
  readonly events: AsyncIterator<readonly string[]>;
  readonly relay: Relay;
  /** Text of the first events, ready to send. */
  readonly first: string;
}

/**
 * Reads to the first event that can be passed on. Throws an {@linkcode UpstreamCut} where there is
 * none, or where what comes first is broken.
 */
export async function openStream<Relay extends AnswerRelay>(
  answer: UpstreamStream,
  relay: Relay,
): Promise<OpenedStream<Relay>> {
  const { events, taken } = await readBeginning(answer, (texts) => {
    const first = acceptAll(relay, texts);
    return first === "" ? undefined : first;
  });
  return { events: new EventBatcher(events), relay, first: taken };
}

/**
 * Reads until `take` makes something of what has come. Throws an {@linkcode UpstreamCut} where it
 * never does, and what it throws; then the upstream's side is closed.
 */
export async function readBeginning<T>(
  answer: UpstreamStream,
  take: (texts: readonly string[]) => T | undefined,
): Promise<{ readonly events: AsyncIterator<readonly string[]>; readonly taken: T }> {
  const events = answer.events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await events.next();
      if (next.done) throw new UpstreamCut("malformed", "The upstream ended before it began");
      const taken = take(next.value);
      if (taken !== undefined) return { events, taken };
    }
  } catch (error) {
    await events.return?.();
    throw error;
  }
}

function acceptAll(relay: AnswerRelay, texts: readonly string[]): string {
  let out = "";
  for (const text of texts) out += relay.accept(text);
  return out;
}

/** What a streamed call needs of its request. */
export interface StreamedCallOptions {
  readonly trace: RequestTrace;
  readonly begun: Begun<OpenedStream>;
  /** All text that the model read, for when no usage is reported. */
  readonly inputText: () => string;
  /** What it costs beside its tokens, at its end. @default {nothing} */
  readonly fee?: CallFee | undefined;
  /** Whether the request ends with this call, so that its log row is written with the bill. */
  readonly endsRequest: boolean;
}

/** Counts, at the end of a call, what it costs beside its tokens. */
export type CallFee = () => CallEnd["fee"];

/** Makes text to send of what came. */
export type TakeText = () => string;

/** A call that broke off, settled. */
export interface CutCall {
  /** For the caller. */
  readonly fault: ServiceFault;
  /** As it was settled; absent where it could not be. */
  readonly usage?: Usage | undefined;
}

/** Follows one call. Exactly one of `finish`, `leave` and `cut` settles it: the first. */
export class StreamedCall {
  readonly #gateway: GatewayContext;
  readonly #options: StreamedCallOptions;
  #begun = false;
  /** Of a caller who streams: absent before the first read. */
  #progress: CallProgress | undefined;
  /** The upstream's side is over: settled, or being settled. */
  #ending: Promise<unknown> | undefined;
  /** The read under way: where the caller leaves meanwhile, it may still bring the usage. */
  #reading: Promise<IteratorResult<readonly string[]>> | undefined;
  /** What came last, and nobody has taken yet. */
  #untaken: readonly string[] = [];
  readonly #meter: OutputMeter;
  /** It has passed the output that is held: nothing more is read. */
  #isLimited = false;
  /** Why what came last could not be followed to its end. */
  #broken: { readonly cause: unknown } | undefined;

  constructor(gateway: GatewayContext, options: StreamedCallOptions) {
    this.#gateway = gateway;
    this.#options = options;
    this.#meter = new OutputMeter(options.begun.hold.outputTokens);
  }

  /** Whether it has been settled or is being settled. */
  get over(): boolean {
    return this.#ending !== undefined;
  }

  /**
   * What comes next, which counts as delivered when it is taken: in the turn in which it is sent, since
   * its caller may leave until then. `undefined` at the clean end, and where the output ends here for
   * having passed what is held. Throws where the call breaks off.
   */
  async next(): Promise<TakeText | undefined> {
    const { events, relay } = this.#options.begun.answer;
    if (!this.#begun) {
      return () => this.#begin();
    }
    this.#progress?.taken();
    try {
      if (this.#broken !== undefined) throw this.#broken.cause;
      if (this.#isLimited) return await this.#endAtLimit();
      const next = await (this.#reading = events.next());
      if (this.over) return undefined;
      this.#reading = undefined;
      if (!next.done) {
        this.#untaken = next.value;
        return this.#take;
      }
      relay.upstreamEnded();
    } catch (error) {
      // An upstream that hangs up after the last finish has said everything but good-bye.
      const isWhole = error instanceof UpstreamCut && error.outcome === "cut" && relay.finished;
      if (!isWhole) throw error;
    }
    return undefined;
  }

  /** Settles after the clean end. Throws where the store fails. */
  finish(): Promise<Bill> {
    const { trace, begun } = this.#options;
    begun.lease.report({ outcome: "ok", ms: trace.attempts.at(-1)?.ms ?? 0 });
    const ending = this.#isLimited ? "limited" : "finished";
    const settled = this.#settle(ending, { status: 200, outcome: "ok" });
    this.#endBy(settled.catch(() => {}));
    this.#gateway.signatures.remember(trace.caller.key.id, begun.answer.relay.toolCalls);
    begun.lease.release();
    return settled;
  }

  /** Nobody waits for more: ends the upstream's side and settles. Never throws. */
  leave(): Promise<unknown> {
    return this.#ending ?? this.#endBy(this.#leave());
  }

  /**
   * Settles a call that broke off, and says why. Never throws. `shutdown`: it did not break off by
   * itself, the service must end.
   */
  async cut(cause: unknown, { shutdown = false } = {}): Promise<CutCall> {
    if (this.#ending !== undefined) {
      await this.#ending;
      return { fault: faultOf(cause) };
    }
    if (shutdown) this.#options.begun.abort.abort("shutdown");
    return await this.#endBy(this.#cut(cause));
  }

  #begin(): string {
    this.#begun = true;
    const { trace, begun, inputText, fee } = this.#options;
    const { answer: { first, relay }, hold, candidate } = begun;
    // Who does not stream has nothing before all of it: there is nothing to charge for before.
    if (trace.caller.stream && !this.over) {
      const call = { trace, hold, candidate, relay, inputText, fee };
      this.#progress = new CallProgress(this.#gateway, call);
    }
    this.#isLimited = this.#meter.isPassedBy(relay);
    return this.#sending(first);
  }

  #sending(text: string): string {
    this.#progress?.sent(text);
    return text;
  }

  #endBy<T>(ending: Promise<T>): Promise<T> {
    this.#ending = ending;
    this.#progress?.end();
    return ending;
  }

  /** What came before a broken event is passed on first: it is counted, so the caller is to have it. */
  readonly #take = (): string => {
    const texts = this.#untaken;
    this.#untaken = [];
    let out = "";
    try {
      const { relay } = this.#options.begun.answer;
      for (const text of texts) {
        out += relay.accept(text);
        this.#isLimited = this.#meter.isPassedBy(relay);
        if (this.#isLimited) break;
      }
    } catch (cause) {
      this.#broken = { cause };
    }
    return this.#sending(out);
  };

  /** Ends an answer that has passed what is held: its upstream keeps to no limit, or states a wrong one. */
  async #endAtLimit(): Promise<undefined> {
    const { begun, trace } = this.#options;
    begun.abort.abort("limit");
    await this.#drop(begun.answer.events);
    if (this.over) return undefined;
    begun.answer.relay.limitReached();
    this.#gateway.logger.warn("output_limit_passed", {
      requestId: trace.caller.requestId,
      model: begun.candidate.model.id,
      upstream: begun.candidate.upstream.id,
      heldTokens: begun.hold.outputTokens,
    });
    return undefined;
  }

  async #leave(): Promise<void> {
    const { begun } = this.#options;
    const { events, relay } = begun.answer;
    begun.lease.release();
    relay.callerLeft();
    // What has come is not sent any more, but it may bring the usage.
    if (events instanceof EventBatcher) this.#untaken = [...this.#untaken, ...events.takeWaiting()];
    this.#take();
    try {
      if (begun.candidate.upstream.onDisconnect === "cancel") {
        begun.abort.abort("left");
      } else {
        await drain(this.#gateway.inFlight, begun, { reading: this.#reading });
      }
    } catch (error) {
      if (!(error instanceof UpstreamCut)) this.#report(error);
    }
    await this.#drop(events);
    await this.#settle("client_left", { status: 200, outcome: "client_left" })
      .catch((error) => this.#report(error));
  }

  async #cut(cause: unknown): Promise<CutCall> {
    const { trace, begun } = this.#options;
    const ended = begun.abort.signal.reason === "shutdown";
    const outcome = ended ? "cancelled" : cause instanceof UpstreamCut ? cause.outcome : "cut";
    const errorCode = ended
      ? "shutting_down"
      : outcome === "timeout"
      ? "upstream_timeout"
      : "upstream_error";
    const attempt = trace.attempts.at(-1);
    if (attempt !== undefined) attempt.outcome = outcome;
    begun.lease.report({ outcome, ms: attempt?.ms ?? 0 });
    begun.lease.release();
    begun.abort.abort("cut");
    await this.#drop(begun.answer.events);
    if (!(cause instanceof UpstreamCut)) this.#report(cause);
    else if (!ended) await this.#noteWords(cause);
    try {
      const bill = await this.#settle("cut", { status: 200, outcome: "cut", errorCode });
      const message = cause instanceof UpstreamCut
        ? `The answer broke off: ${cause.message}`
        : undefined;
      const extra = { metadata: trace.metadata(bill.billing) };
      return { fault: new ServiceFault(errorCode, { message, extra }), usage: bill.usage };
    } catch (error) {
      this.#report(error);
      return { fault: faultOf(error) };
    }
  }

  /** Tells the operator what the upstream said as it broke off. */
  async #noteWords(cause: UpstreamCut): Promise<void> {
    const { trace, begun: { candidate, answer }, inputText } = this.#options;
    try {
      const words = await wordsIn(cause, [inputText(), answer.relay.delivered.join("")]);
      trace.failedBy(words);
      const { outcome } = cause;
      this.#gateway.failedAttempts.note(trace.caller.requestId, { outcome, words, candidate });
    } catch (error) {
      // The bill does not wait for it.
      this.#report(error);
    }
  }

  #settle(ending: CallEnd["ending"], request: CallEnd["request"]): Promise<Bill> {
    const { trace, begun, inputText, fee, endsRequest } = this.#options;
    const { relay } = begun.answer;
    // Who does not stream has had nothing of a call that broke off, nor who left before it began.
    const isWhole = ending === "finished" || ending === "limited";
    const isHad = (trace.caller.stream && this.#begun) || isWhole;
    const output = isHad
      ? { delivered: () => relay.delivered, chars: relay.deliveredChars, fewest: relay.usedUpBy }
      : { delivered: () => [] };
    return settleCall(this.#gateway, trace, {
      begun,
      end: {
        ending,
        usage: relay.usage,
        count: () =>
          countTokens(this.#gateway, { candidate: begun.candidate, inputText, ...output }),
        said: { inputText, delivered: output.delivered },
        wasDelivered: trace.caller.stream,
        fee: fee?.(),
        ...(endsRequest ? { request } : {}),
      },
    });
  }

  async #drop(events: AsyncIterator<readonly string[]>): Promise<void> {
    try {
      await events.return?.();
    } catch (error) {
      if (!(error instanceof UpstreamCut)) this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#gateway.logger.error("stream_failed", {
      requestId: this.#options.trace.caller.requestId,
      cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    });
  }
}
