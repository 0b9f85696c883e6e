/**
 * A streamed chat answer: chunks as they come, then the bill, then the end.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import { type JsonBody, UpstreamCut, type UpstreamStream } from "../ports/upstream.ts";
import { ChatChunkRelay } from "../wire/chat_chunk.ts";
import { requestText } from "../wire/chat_text.ts";
import { SSE_DONE, SSE_KEEP_ALIVE, sseEvent } from "../wire/sse.ts";
import { chatUsageOf } from "../wire/usage.ts";
import type { Begun } from "./attempt.ts";
import { type Bill, type CallEnd, countTokens, settleCall } from "./bill.ts";
import type { GatewayContext } from "./context.ts";
import { faultOf } from "./fault_of.ts";
import { Gathered } from "./gathered.ts";
import type { RequestTrace } from "./request_trace.ts";

/** Silence after which a comment is sent, in milliseconds. */
export const KEEP_ALIVE_MS = 15_000;
/** A reader that has taken nothing for this long, while something waits, counts as gone. */
export const STALLED_READER_MS = 60_000;
/** How often silence and stalls are looked for. */
const WATCH_MS = 1_000;

/** A streamed answer whose first chunks have come. */
export interface OpenedStream {
  readonly events: AsyncIterator<readonly string[]>;
  readonly relay: ChatChunkRelay;
  /** Text of the first events, ready to send. */
  readonly first: string;
}

/**
 * Reads to the first chunk that can be passed on. Throws an {@linkcode UpstreamCut} where there is
 * none, or where what comes first is broken.
 */
export async function openChatStream(answer: UpstreamStream, model: string): Promise<OpenedStream> {
  const events = answer.events[Symbol.asyncIterator]();
  const relay = new ChatChunkRelay(model);
  try {
    for (;;) {
      const next = await events.next();
      if (next.done) throw new UpstreamCut("malformed", "The upstream ended before it began");
      const first = acceptAll(relay, next.value);
      if (first !== "") return { events: new Gathered(events), relay, first };
    }
  } catch (error) {
    await events.return?.();
    throw error;
  }
}

function acceptAll(relay: ChatChunkRelay, texts: readonly string[]): string {
  let out = "";
  for (const text of texts) {
    const forwarded = relay.accept(text);
    if (forwarded !== undefined) out += sseEvent(forwarded);
  }
  return out;
}

/** What a stream needs of its request. */
export interface ChatStreamRequest {
  readonly trace: RequestTrace;
  readonly body: JsonBody;
  readonly begun: Begun<OpenedStream>;
  /** Called once, when the call has been settled or could not be. */
  onEnd(): void;
}

/** The bytes of the answer, and what must happen however they end. */
export class ChatStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #gateway: GatewayContext;
  readonly #request: ChatStreamRequest;
  readonly #encoder = new TextEncoder();
  readonly #unwatch: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #sentMs = 0;
  #begun = false;
  /** The upstream's side is over: settled, or being settled. */
  #over = false;
  /** Nobody reads any more: nothing can be sent. */
  #gone = false;
  /** The read under way: where the caller leaves meanwhile, what it brings is counted all the same. */
  #reading: Promise<IteratorResult<readonly string[]>> | undefined;

  constructor(gateway: GatewayContext, request: ChatStreamRequest) {
    this.#gateway = gateway;
    this.#request = request;
    this.#unwatch = gateway.inFlight.watch(request.begun.abort);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { clock } = this.#gateway;
    this.#controller = controller;
    this.#sentMs = clock.monotonicMs();
    this.#watch = setInterval(() => {
      const silentMs = clock.monotonicMs() - this.#sentMs;
      const waits = (controller.desiredSize ?? 0) <= 0;
      if (waits && silentMs >= STALLED_READER_MS) this.#giveUp();
      else if (!waits && silentMs >= KEEP_ALIVE_MS) this.#send(SSE_KEEP_ALIVE);
    }, WATCH_MS);
    // Somebody who does not read is never asked for more: the end must not wait for a pull.
    this.#request.begun.abort.signal.addEventListener("abort", this.#onAbort);
  }

  async pull(): Promise<void> {
    const { trace, begun } = this.#request;
    const { events, relay, first } = begun.answer;
    if (!this.#begun) {
      this.#begun = true;
      trace.firstByte();
      return this.#send(first);
    }
    try {
      for (;;) {
        const next = await (this.#reading = events.next());
        if (this.#over) return;
        this.#reading = undefined;
        if (next.done) return await this.#finish();
        const text = acceptAll(relay, next.value);
        if (text !== "") return this.#send(text);
      }
    } catch (error) {
      if (this.#over) return;
      // An upstream that hangs up after the last finish has said everything but good-bye.
      if (error instanceof UpstreamCut && error.outcome === "cut" && relay.finished) {
        return await this.#finish();
      }
      await this.#break(error);
    }
  }

  /** The caller has left. */
  async cancel(): Promise<void> {
    this.#gone = true;
    if (this.#over) return;
    const { begun } = this.#request;
    const { events, relay } = begun.answer;
    this.#end();
    try {
      if (begun.candidate.upstream.onDisconnect === "cancel") {
        begun.abort.abort("left");
      } else {
        let next = await (this.#reading ?? events.next());
        for (; !next.done; next = await events.next()) acceptAll(relay, next.value);
      }
    } catch (error) {
      if (!(error instanceof UpstreamCut)) this.#report(error);
    }
    await this.#leave(events);
    await this.#settle({ ending: "client_left", status: 200, outcome: "client_left" })
      .catch((error) => this.#report(error));
    this.#request.onEnd();
  }

  /** A clean end: what is still owed, the bill, `[DONE]`. */
  async #finish(): Promise<void> {
    const { trace, begun } = this.#request;
    const { relay } = begun.answer;
    begun.lease.report({ outcome: "ok", ms: trace.attempts.at(-1)?.ms ?? 0 });
    this.#end();
    const createdSeconds = Math.floor(this.#gateway.clock.nowMs() / 1_000);
    const owed = relay.missingFinishes(createdSeconds).map(sseEvent).join("");
    this.#gateway.signatures.remember(trace.caller.key.id, relay.toolCalls);
    try {
      const { billing, usage } = await this.#settle({
        ending: "finished",
        status: 200,
        outcome: "ok",
      });
      const last = relay.lastChunk(trace.metadata(billing), {
        usage: chatUsageOf(usage),
        createdSeconds,
      });
      this.#close(owed + sseEvent(last) + SSE_DONE);
    } catch (error) {
      this.#report(error);
      this.#close(sseEvent(this.#errorEvent(error)));
    }
  }

  /** A failure after the first byte: one event that says so, and never a clean end. */
  async #break(cause: unknown): Promise<void> {
    const { trace, begun } = this.#request;
    const ended = this.#request.begun.abort.signal.reason === "shutdown";
    const outcome = ended ? "cancelled" : cause instanceof UpstreamCut ? cause.outcome : "cut";
    const errorCode = ended
      ? "shutting_down"
      : outcome === "timeout"
      ? "upstream_timeout"
      : "upstream_error";
    const attempt = trace.attempts.at(-1);
    if (attempt !== undefined) attempt.outcome = outcome;
    begun.lease.report({ outcome, ms: attempt?.ms ?? 0 });
    this.#end();
    begun.abort.abort("cut");
    await this.#leave(begun.answer.events);
    if (!(cause instanceof UpstreamCut)) this.#report(cause);
    let fault: unknown;
    try {
      const bill = await this.#settle({ ending: "cut", status: 200, outcome: "cut", errorCode });
      fault = new ServiceFault(errorCode, {
        message: cause instanceof UpstreamCut
          ? `The answer broke off: ${cause.message}`
          : undefined,
        extra: { metadata: trace.metadata(bill.billing) },
      });
    } catch (error) {
      this.#report(error);
      fault = error;
    }
    this.#close(sseEvent(this.#errorEvent(fault)));
  }

  /** The service must end, and this stream with it. */
  readonly #onAbort = (): void => {
    if (this.#over || this.#request.begun.abort.signal.reason !== "shutdown") return;
    void this.#break(new UpstreamCut("cut", "the service is shutting down"));
  };

  /** The reader has stalled: the same as one that has left, but that the connection must be broken. */
  #giveUp(): void {
    void this.cancel();
    this.#controller?.error(new Error("The caller has stopped reading"));
  }

  #errorEvent(error: unknown): string {
    const { requestId } = this.#request.trace.caller;
    return JSON.stringify({ ...faultOf(error).envelope(requestId), choices: [] });
  }

  #settle(end: Omit<CallEnd, "usage" | "count" | "wasDelivered">): Promise<Bill> {
    const { trace, begun, body } = this.#request;
    const { relay } = begun.answer;
    return settleCall(this.#gateway, trace, {
      begun,
      end: {
        ...end,
        usage: relay.usage,
        count: () =>
          countTokens(this.#gateway, {
            inputText: () => requestText(body.value),
            delivered: relay.delivered,
          }),
        wasDelivered: true,
      },
    });
  }

  #send(text: string): void {
    if (this.#gone) return;
    this.#sentMs = this.#gateway.clock.monotonicMs();
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  /** The last words. */
  #close(text: string): void {
    this.#send(text);
    if (!this.#gone) this.#controller?.close();
    this.#request.onEnd();
  }

  /** From here on nothing more is read; the place at the upstream is free. */
  #end(): void {
    this.#over = true;
    clearInterval(this.#watch);
    this.#request.begun.abort.signal.removeEventListener("abort", this.#onAbort);
    this.#unwatch();
    this.#request.begun.lease.release();
  }

  async #leave(events: AsyncIterator<readonly string[]>): Promise<void> {
    try {
      await events.return?.();
    } catch (error) {
      if (!(error instanceof UpstreamCut)) this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#gateway.logger.error("chat_stream_failed", {
      requestId: this.#request.trace.caller.requestId,
      cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    });
  }
}
