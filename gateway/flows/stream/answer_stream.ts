import type { GatewayContext } from "../context.ts";
import type { RequestTrace } from "../request_trace.ts";
import { UpstreamCut } from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import { SSE_KEEP_ALIVE } from "../../wire/sse.ts";

/** Silence after which a comment is sent, in milliseconds. */
export const KEEP_ALIVE_MS = 15_000;
/** A reader that has taken nothing for this long, while something waits, counts as gone. */
export const STALLED_READER_MS = 60_000;
/** How often silence and stalls are looked for. */
const WATCH_MS = 1_000;

/** Text to send. */
export interface Piece {
  /** Where it is made when it is called, that is in the turn in which it is sent; it may be empty. */
  readonly text: string | (() => string);
  /** Nothing follows. */
  readonly last: boolean;
}

/** An answer that has begun, as text that can be sent; its bill is its own affair. */
export interface StreamedAnswer {
  /** Aborted where the service must end. */
  readonly abort: AbortController;
  /** What comes next. Throws where the answer breaks off, before anything is settled. */
  next(): Promise<Piece>;
  /** Nobody reads any more: ends the upstream's side and settles. Never throws. */
  leave(): Promise<void>;
  /** Settles an answer that broke off. Resolves to the last words; never throws. */
  fail(cause: unknown): Promise<string>;
}

/** The bytes of an answer at the pace of their reader: keep-alives, stalls, and every kind of end. */
export class AnswerStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #gateway: GatewayContext;
  readonly #answer: StreamedAnswer;
  readonly #trace: RequestTrace;
  readonly #onEnd: () => void;
  readonly #encoder = new TextEncoder();
  readonly #unwatch: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #callOffWatch: () => void = () => {};
  #sentMs: number | undefined;
  /** However it ended, it has. */
  #over = false;
  /** Nobody reads any more: nothing can be sent. */
  #gone = false;

  /** `onEnd` is called once, when the answer has been settled or could not be. */
  constructor(
    gateway: GatewayContext,
    options: {
      readonly answer: StreamedAnswer;
      readonly trace: RequestTrace;
      readonly onEnd: () => void;
    },
  ) {
    this.#gateway = gateway;
    this.#answer = options.answer;
    this.#trace = options.trace;
    this.#onEnd = options.onEnd;
    this.#unwatch = gateway.inFlight.watch(options.answer.abort);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { clock } = this.#gateway;
    this.#controller = controller;
    const startedMs = clock.monotonicMs();
    const watch = () => {
      this.#callOffWatch = afterMs(WATCH_MS, watch);
      const silentMs = clock.monotonicMs() - (this.#sentMs ?? startedMs);
      const waits = (controller.desiredSize ?? 0) <= 0;
      if (waits && silentMs >= STALLED_READER_MS) this.#giveUp();
      else if (!waits && silentMs >= KEEP_ALIVE_MS) this.#send(SSE_KEEP_ALIVE);
    };
    this.#callOffWatch = afterMs(WATCH_MS, watch);
    // Somebody who does not read is never asked for more: the end must not wait for a pull.
    const { signal } = this.#answer.abort;
    signal.addEventListener("abort", this.#onAbort);
    if (signal.aborted) this.#onAbort();
    // Who left before the answer began is sent nothing of it, so nothing of it counts as delivered.
    else if (this.#trace.caller.signal.aborted) {
      void this.cancel();
      controller.close();
    }
  }

  async pull(): Promise<void> {
    // What is left of an answer that has broken off is said by whoever ends it, and by nobody else.
    if (this.#over) return;
    try {
      for (;;) {
        const { text: made, last } = await this.#answer.next();
        if (this.#over) return;
        const text = typeof made === "string" ? made : made();
        if (text === "" && !last) continue;
        if (this.#sentMs === undefined) this.#trace.firstByte();
        this.#send(text);
        if (last) this.#close();
        return;
      }
    } catch (error) {
      if (!this.#over) await this.#break(error);
    }
  }

  /** The caller has left. */
  async cancel(): Promise<void> {
    this.#gone = true;
    if (this.#over) return;
    this.#end();
    try {
      await this.#answer.leave();
    } finally {
      this.#onEnd();
    }
  }

  /** The service must end, and this stream with it. */
  readonly #onAbort = (): void => {
    if (this.#over || this.#answer.abort.signal.reason !== "shutdown") return;
    void this.#break(new UpstreamCut("cut", "the service is shutting down"));
  };

  async #break(cause: unknown): Promise<void> {
    this.#end();
    try {
      const text = await this.#answer.fail(cause);
      if (!this.#gone) {
        this.#send(text);
        this.#controller?.close();
      }
    } finally {
      this.#onEnd();
    }
  }

  /** The reader has stalled: the same as one that has left, but that the connection must be broken. */
  #giveUp(): void {
    void this.cancel();
    this.#controller?.error(new Error("The caller has stopped reading"));
  }

  #send(text: string): void {
    this.#sentMs = this.#gateway.clock.monotonicMs();
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #close(): void {
    this.#end();
    this.#controller?.close();
    this.#onEnd();
  }

  #end(): void {
    this.#over = true;
    this.#callOffWatch();
    this.#answer.abort.signal.removeEventListener("abort", this.#onAbort);
    this.#unwatch();
  }
}
