/**
 * One streamed call of a model: its text for the caller, and its settlement however it ends.
 *
 * @module
 */

import type { InFlight } from "../admit/in_flight.ts";
import type { SignatureMemory } from "../plan/signature_memory.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { Usage } from "../../domain/ledger/pricing.ts";
import { isPaced, UpstreamCut } from "../../ports/upstream.ts";
import type { BegunCall } from "../call/attempt.ts";
import {
  type Bill,
  type CallEnd,
  countTokens,
  settleCall,
  type SettleDeps,
} from "../settle/bill.ts";
import { CallProgress, type ProgressDeps } from "./call_progress.ts";
import { type FailedAttempts, upstreamMessage } from "../call/failed_attempts.ts";
import { drain } from "./drain.ts";
import { faultOf } from "../request/fault_of.ts";
import type { BrokenEvent, OpenedStream } from "./opened_stream.ts";
import { OutputMeter } from "./output_meter.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Parts of the service that a streamed call uses. */
export type StreamDeps = SettleDeps & ProgressDeps & {
  readonly failedAttempts: Pick<FailedAttempts, "note">;
  readonly inFlight: Pick<InFlight, "watch" | "endFault">;
  readonly signatures: Pick<SignatureMemory, "remember">;
};

/** Options of a streamed call. */
export interface StreamedCallOptions {
  readonly active: ActiveRequest;
  readonly begunCall: BegunCall<OpenedStream>;
  /** Returns all text that the model read, for a call without reported usage. */
  readonly inputText: () => string;
  /** Returns the cost of the call beside its tokens, at its end. @default {nothing} */
  readonly fee?: CallFee | undefined;
  /** True when the request ends with this call: its log row is written with the settlement. */
  readonly endsRequest: boolean;
}

/** Returns the cost of a call beside its tokens, at its end. */
export type CallFee = () => CallEnd["fee"];

/** Returns the text to send for the events that arrived. */
export type TakeText = () => string;

/** A call that broke off and was settled. */
export interface CutCall {
  /** Fault for the caller. */
  readonly fault: ServiceFault;
  /** Usage as it was settled; absent if it could not be. */
  readonly usage?: Usage | undefined;
}

/** Follows one call. The first of `finish`, `leave` and `cut` settles it, exactly once. */
export class StreamedCall {
  readonly #deps: StreamDeps;
  readonly #options: StreamedCallOptions;
  #hasBegun = false;
  /** Checkpoints, for a caller that streams; absent before the first read. */
  #progress: CallProgress | undefined;
  /** The settlement; set once the call at the upstream has ended. */
  #ending: Promise<unknown> | undefined;
  /** The read in progress: if the caller disconnects meanwhile, it may still bring the usage. */
  #reading: Promise<IteratorResult<readonly string[]>> | undefined;
  /** Events that arrived last and were not taken. */
  #untaken: readonly string[] = [];
  readonly #meter: OutputMeter;
  /** True when the answer has passed the output that is held: nothing more is read. */
  #isLimited = false;
  /** The failure to relay the events that arrived last. */
  #broken: BrokenEvent | undefined;

  constructor(deps: StreamDeps, options: StreamedCallOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#broken = options.begunCall.answer.broken;
    this.#meter = new OutputMeter(options.begunCall.hold.outputTokens);
  }

  /** True when it has been settled or is being settled. */
  get over(): boolean {
    return this.#ending !== undefined;
  }

  /**
   * Returns a function that takes the next text, which counts as delivered from that moment: the
   * caller may disconnect before. Resolves to `undefined` at the clean end, and when the output
   * ends because it has passed what is held. Throws if the call breaks off.
   */
  async next(): Promise<TakeText | undefined> {
    const { events, relay } = this.#options.begunCall.answer;
    if (!this.#hasBegun) return () => this.#begin();
    this.#progress?.confirm();
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
      // The call was ended while the read was pending.
      if (this.over) return undefined;
      // The answer is complete: only the end-of-stream marker is missing.
      const isWhole = error instanceof UpstreamCut && error.outcome === "cut" && relay.finished;
      if (!isWhole) throw error;
    }
    return undefined;
  }

  /** Settles the call after its clean end. Throws if the store fails. */
  finish(): Promise<Bill> {
    const { active, begunCall } = this.#options;
    begunCall.lease.report({ outcome: "ok", ms: active.report.lastAttemptMs });
    const ending = this.#isLimited ? "limited" : "finished";
    // The settlement waits for what was remembered before it.
    this.#deps.signatures.remember(active.key.id, begunCall.answer.relay.toolCalls);
    const settled = this.#settle(ending, { status: 200, outcome: "ok" });
    this.#endBy(settled.catch(() => {}));
    begunCall.lease.release();
    return settled;
  }

  /**
   * Ends the call at the upstream and settles it, because the caller has disconnected. Never
   * throws.
   */
  leave(): Promise<unknown> {
    return this.#ending ?? this.#endBy(this.#leave());
  }

  /**
   * Settles a call that broke off, and returns the fault. Never throws. `shutdown`: the service
   * ends the call.
   */
  async cut(cause: unknown, { shutdown = false } = {}): Promise<CutCall> {
    if (this.#ending !== undefined) {
      await this.#ending;
      return { fault: faultOf(cause) };
    }
    if (shutdown) this.#options.begunCall.abort.abort("shutdown");
    return await this.#endBy(this.#cut(cause));
  }

  #begin(): string {
    this.#hasBegun = true;
    const { active, begunCall, inputText, fee } = this.#options;
    const { answer: { first, relay }, hold, candidate } = begunCall;
    // A caller that does not stream receives nothing before the end: there is nothing to charge
    // before.
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

  /** Text before a broken event is passed on: it is counted, so the caller must receive it. */
  readonly #take = (): string => {
    const texts = this.#untaken;
    this.#untaken = [];
    let out = "";
    try {
      const { relay } = this.#options.begunCall.answer;
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

  /**
   * Ends an answer that has passed what is held: its upstream ignores the limit or states a wrong
   * one.
   */
  async #endAtLimit(): Promise<undefined> {
    const { begunCall, active } = this.#options;
    begunCall.abort.abort("limit");
    await this.#drop(begunCall.answer.events);
    if (this.over) return undefined;
    begunCall.answer.relay.limitReached();
    this.#deps.logger.warn("output_limit_passed", {
      requestId: active.identity.requestId,
      model: begunCall.candidate.model.id,
      upstream: begunCall.candidate.upstream.id,
      heldTokens: begunCall.hold.outputTokens,
    });
    return undefined;
  }

  async #leave(): Promise<void> {
    const { begunCall } = this.#options;
    const { events, relay } = begunCall.answer;
    begunCall.lease.release();
    relay.callerDisconnected();
    // Events that arrived are no longer sent, but they may contain the usage.
    if (isPaced(events)) this.#untaken = [...this.#untaken, ...events.takeWaiting()];
    this.#take();
    try {
      if (begunCall.candidate.upstream.onDisconnect === "cancel") {
        begunCall.abort.abort("left");
      } else {
        await drain(this.#deps.inFlight, begunCall, { reading: this.#reading });
      }
    } catch (error) {
      if (!(error instanceof UpstreamCut)) this.#report(error);
    }
    await this.#drop(events);
    await this.#settle("client_left", { status: 200, outcome: "client_left" })
      .catch((error) => this.#report(error));
  }

  async #cut(cause: unknown): Promise<CutCall> {
    const { active, begunCall } = this.#options;
    const ended = begunCall.abort.signal.reason === "shutdown";
    const outcome = ended ? "cancelled" : cause instanceof UpstreamCut ? cause.outcome : "cut";
    const errorCode = ended
      ? this.#deps.inFlight.endFault().code
      : outcome === "timeout"
      ? "upstream_timeout"
      : "upstream_error";
    active.report.noteBreak(outcome);
    begunCall.lease.report({ outcome, ms: active.report.lastAttemptMs });
    begunCall.lease.release();
    begunCall.abort.abort("cut");
    await this.#drop(begunCall.answer.events);
    if (!(cause instanceof UpstreamCut)) this.#report(cause);
    else if (!ended) await this.#noteUpstreamMessage(cause);
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

  /** Logs the message of an upstream that broke off, for the operator. */
  async #noteUpstreamMessage(cause: UpstreamCut): Promise<void> {
    const { active, begunCall: { candidate, answer }, inputText } = this.#options;
    try {
      const words = await upstreamMessage(cause, [inputText(), answer.relay.delivered.join("")]);
      active.report.noteUpstreamMessage(words);
      const { outcome } = cause;
      this.#deps.failedAttempts.note(active.identity.requestId, { outcome, words, candidate });
    } catch (error) {
      // A failure to log must not prevent the settlement.
      this.#report(error);
    }
  }

  #settle(ending: CallEnd["ending"], request: CallEnd["request"]): Promise<Bill> {
    const { active, begunCall, inputText, fee, endsRequest } = this.#options;
    const { relay } = begunCall.answer;
    // A caller that does not stream has received nothing of a call that broke off, and no caller
    // has before the call began.
    const isWhole = ending === "finished" || ending === "limited";
    const isDelivered = (active.identity.stream && this.#hasBegun) || isWhole;
    const output = isDelivered
      ? { delivered: () => relay.delivered, chars: relay.deliveredChars, fewest: relay.usedUpBy }
      : { delivered: () => [] };
    return settleCall(this.#deps, active, {
      begunCall,
      end: {
        ending,
        usage: relay.usage,
        count: () =>
          countTokens(this.#deps, { candidate: begunCall.candidate, inputText, ...output }),
        content: { inputText, delivered: output.delivered },
        answer: () => relay.observed?.(),
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
