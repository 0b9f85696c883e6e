import type { Clock } from "../../ports/clock.ts";
import type { InFlight } from "../admit/in_flight.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { UpstreamCut } from "../../ports/upstream.ts";
import { afterMs } from "../../system/deadlines.ts";
import { SSE_KEEP_ALIVE } from "../../wire/sse.ts";

/** Silence after which a keep-alive comment is sent, in milliseconds. */
export const KEEP_ALIVE_MS = 15_000;
/**
 * Time after which a reader that takes nothing, while data waits, counts as disconnected, in
 * milliseconds.
 */
export const STALLED_READER_MS = 60_000;
/** Time between two checks for silence and stalls, in milliseconds. */
const WATCH_MS = 1_000;

/** Parts of the service that the stream of an answer uses. */
export interface AnswerStreamDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly inFlight: Pick<InFlight, "watch" | "endFault">;
}

/** Text to send. */
export interface Piece {
  /** A function is called at the moment of sending; the text may be empty. */
  readonly text: string | (() => string);
  /** True for the last piece. */
  readonly last: boolean;
}

/** An answer that has begun, as text that can be sent. It settles its calls itself. */
export interface StreamedAnswer {
  /** Aborted when the service stops. */
  readonly abort: AbortController;
  /** Returns the next piece. Throws if the answer breaks off, before anything is settled. */
  next(): Promise<Piece>;
  /**
   * Ends the call at the upstream and settles it, because the caller has disconnected. Never
   * throws.
   */
  leave(): Promise<void>;
  /** Settles an answer that broke off. Resolves to its final events; never throws. */
  fail(cause: unknown): Promise<string>;
}

/**
 * The bytes of an answer at the pace of their reader, with keep-alives, stalls, and every kind of
 * end.
 */
export class AnswerStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #deps: AnswerStreamDeps;
  readonly #answer: StreamedAnswer;
  readonly #active: ActiveRequest;
  readonly #onEnd: () => void;
  readonly #encoder = new TextEncoder();
  readonly #unwatch: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #callOffWatch: () => void = () => {};
  #sentMs: number | undefined;
  /** True once the answer has ended, in whatever way. */
  #isOver = false;
  /** True when the reader has disconnected: nothing can be sent. */
  #isDisconnected = false;

  /** `onEnd` is called once, when the answer has been settled or could not be. */
  constructor(
    deps: AnswerStreamDeps,
    options: {
      readonly answer: StreamedAnswer;
      readonly active: ActiveRequest;
      readonly onEnd: () => void;
    },
  ) {
    this.#deps = deps;
    this.#answer = options.answer;
    this.#active = options.active;
    this.#onEnd = options.onEnd;
    this.#unwatch = deps.inFlight.watch(options.answer.abort);
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { clock } = this.#deps;
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
    // A reader that takes nothing causes no pull: the end must not wait for one.
    const { signal } = this.#answer.abort;
    signal.addEventListener("abort", this.#onAbort);
    if (signal.aborted) this.#onAbort();
    // A caller that disconnected before the answer began is sent nothing, so nothing counts as
    // delivered.
    else if (this.#active.signal.aborted) {
      void this.cancel();
      controller.close();
    }
  }

  async pull(): Promise<void> {
    // Only the code that ends a broken answer sends its final events.
    if (this.#isOver) return;
    try {
      for (;;) {
        const { text: piece, last } = await this.#answer.next();
        if (this.#isOver) return;
        const text = typeof piece === "string" ? piece : piece();
        if (text === "" && !last) continue;
        if (this.#sentMs === undefined) this.#active.report.noteFirstByte(this.#active.elapsedMs);
        this.#send(text);
        if (last) this.#close();
        return;
      }
    } catch (error) {
      if (!this.#isOver) await this.#break(error);
    }
  }

  /** Ends the answer because the caller has disconnected. */
  async cancel(): Promise<void> {
    this.#isDisconnected = true;
    if (this.#isOver) return;
    this.#end();
    try {
      await this.#answer.leave();
    } finally {
      this.#onEnd();
    }
  }

  /** Ends the stream because the service ends the call. */
  readonly #onAbort = (): void => {
    if (this.#isOver || this.#answer.abort.signal.reason !== "shutdown") return;
    void this.#break(new UpstreamCut("cut", "the service has ended it"));
  };

  async #break(cause: unknown): Promise<void> {
    this.#end();
    try {
      const text = await this.#answer.fail(cause);
      if (!this.#isDisconnected) {
        this.#send(text);
        this.#controller?.close();
      }
    } finally {
      this.#onEnd();
    }
  }

  /** Treats a stalled reader as disconnected; its connection must be closed as well. */
  #giveUp(): void {
    void this.cancel();
    this.#controller?.error(new Error("The caller has stopped reading"));
  }

  #send(text: string): void {
    this.#sentMs = this.#deps.clock.monotonicMs();
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #close(): void {
    this.#end();
    this.#controller?.close();
    this.#onEnd();
  }

  #end(): void {
    this.#isOver = true;
    this.#callOffWatch();
    this.#answer.abort.signal.removeEventListener("abort", this.#onAbort);
    this.#unwatch();
  }
}
