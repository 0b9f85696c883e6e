/**
 * One streamed call of a model: what it sends as text for the caller, and its bill however it ends.
 *
 * @module
 */

import type { InFlight } from "../admit/in_flight.ts";
import type { SignatureMemory } from "../plan/signature_memory.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { UpstreamCut } from "../../ports/upstream.ts";
import type { AnswerRelay } from "../../wire/answer_relay.ts";
import type { Begun } from "../call/attempt.ts";
import {
  type Bill,
  type CallEnd,
  countTokens,
  settleCall,
  type SettleDeps,
} from "../settle/bill.ts";
import { CallProgress, type ProgressDeps } from "./call_progress.ts";
import { type FailedAttempts, wordsIn } from "../call/failed_attempts.ts";
import { drain } from "./drain.ts";
import { faultOf } from "../request/fault_of.ts";
import { EventBatcher } from "./event_batcher.ts";
import type { OpenedStream } from "./opened_stream.ts";
import { OutputMeter } from "./output_meter.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Parts of the service that a streamed call uses. */
export type StreamDeps = SettleDeps & ProgressDeps & {
  readonly failedAttempts: Pick<FailedAttempts, "note">;
  readonly inFlight: Pick<InFlight, "watch">;
  readonly signatures: Pick<SignatureMemory, "remember">;
};

/** What a streamed call needs of its request. */
export interface StreamedCallOptions {
  readonly active: ActiveRequest;
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
  readonly #deps: StreamDeps;
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

  constructor(deps: StreamDeps, options: StreamedCallOptions) {
    this.#deps = deps;
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
    const { active, begun } = this.#options;
    begun.lease.report({ outcome: "ok", ms: active.report.lastAttemptMs });
    const ending = this.#isLimited ? "limited" : "finished";
    const settled = this.#settle(ending, { status: 200, outcome: "ok" });
    this.#endBy(settled.catch(() => {}));
    this.#deps.signatures.remember(active.key.id, begun.answer.relay.toolCalls);
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
    const { active, begun, inputText, fee } = this.#options;
    const { answer: { first, relay }, hold, candidate } = begun;
    // Who does not stream has nothing before all of it: there is nothing to charge for before.
    if (active.identity.stream && !this.over) {
      const call = { active, hold, candidate, relay, inputText, fee };
      this.#progress = new CallProgress(this.#deps, call);
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
    const { begun, active } = this.#options;
    begun.abort.abort("limit");
    await this.#drop(begun.answer.events);
    if (this.over) return undefined;
    begun.answer.relay.limitReached();
    this.#deps.logger.warn("output_limit_passed", {
      requestId: active.identity.requestId,
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
        await drain(this.#deps.inFlight, begun, { reading: this.#reading });
      }
    } catch (error) {
      if (!(error instanceof UpstreamCut)) this.#report(error);
    }
    await this.#drop(events);
    await this.#settle("client_left", { status: 200, outcome: "client_left" })
      .catch((error) => this.#report(error));
  }

  async #cut(cause: unknown): Promise<CutCall> {
    const { active, begun } = this.#options;
    const ended = begun.abort.signal.reason === "shutdown";
    const outcome = ended ? "cancelled" : cause instanceof UpstreamCut ? cause.outcome : "cut";
    const errorCode = ended
      ? "shutting_down"
      : outcome === "timeout"
      ? "upstream_timeout"
      : "upstream_error";
    active.report.noteBreak(outcome);
    begun.lease.report({ outcome, ms: active.report.lastAttemptMs });
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
      const extra = { metadata: active.report.metadata(bill.billing) };
      return { fault: new ServiceFault(errorCode, { message, extra }), usage: bill.usage };
    } catch (error) {
      this.#report(error);
      return { fault: faultOf(error) };
    }
  }

  /** Tells the operator what the upstream said as it broke off. */
  async #noteWords(cause: UpstreamCut): Promise<void> {
    const { active, begun: { candidate, answer }, inputText } = this.#options;
    try {
      const words = await wordsIn(cause, [inputText(), answer.relay.delivered.join("")]);
      active.report.noteWords(words);
      const { outcome } = cause;
      this.#deps.failedAttempts.note(active.identity.requestId, { outcome, words, candidate });
    } catch (error) {
      // The bill does not wait for it.
      this.#report(error);
    }
  }

  #settle(ending: CallEnd["ending"], request: CallEnd["request"]): Promise<Bill> {
    const { active, begun, inputText, fee, endsRequest } = this.#options;
    const { relay } = begun.answer;
    // Who does not stream has had nothing of a call that broke off, nor who left before it began.
    const isWhole = ending === "finished" || ending === "limited";
    const isHad = (active.identity.stream && this.#begun) || isWhole;
    const output = isHad
      ? { delivered: () => relay.delivered, chars: relay.deliveredChars, fewest: relay.usedUpBy }
      : { delivered: () => [] };
    return settleCall(this.#deps, active, {
      begun,
      end: {
        ending,
        usage: relay.usage,
        count: () => countTokens(this.#deps, { candidate: begun.candidate, inputText, ...output }),
        content: { inputText, delivered: output.delivered },
        wasDelivered: active.identity.stream,
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
    this.#deps.logger.error("stream_failed", {
      requestId: this.#options.active.identity.requestId,
      cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    });
  }
}
