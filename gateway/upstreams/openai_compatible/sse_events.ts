import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { UpstreamCut } from "../../ports/upstream.ts";
import { isTooDeep, parseObject } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import { readError, type ReportedError, wordsOf } from "./failure.ts";

/** Longest event in UTF-16 code units. */
export const MAX_FRAME_CHARS = 16 * 1024 * 1024;

// Shorter events cannot go so deep that parsing them takes long.
const SHALLOW_CHARS = 16 * 1024;
// Longest piece that one read takes.
const READ_BYTES = 16 * 1024;
// How long the connection may stay open after `[DONE]` to be used again.
const DRAIN_MS = 100;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The events of a streamed answer, one batch a read. The last event counts without its blank line,
 * too, where its data is a whole JSON object, or `[DONE]`. Written as an iterator by hand rather than as a
 * generator because `return` must cancel at once, also while a read is pending.
 */
export class SseEvents implements AsyncIterableIterator<readonly string[]> {
  readonly #reader: ReadableStreamBYOBReader;
  readonly #exchange: Exchange;
  readonly #secrets: readonly string[];
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #parser: EventSourceParser;
  // One buffer for all reads: otherwise each would get a new one of 64 KiB for a line of text.
  #buffer = new Uint8Array(READ_BYTES);
  #batch: string[] = [];
  #unread: readonly string[] | undefined;
  #begun = false;
  #done = false;
  /** The body has ended: only its last event can still come. */
  #ended = false;
  #fault: UpstreamCut | undefined;
  #reported: ReportedError | undefined;

  /** Takes the exchange over: it ends with the iteration. `secrets` are never repeated. */
  constructor(
    body: ReadableStream<Uint8Array>,
    exchange: Exchange,
    secrets: readonly string[] = [],
  ) {
    this.#secrets = secrets;
    this.#reader = body.getReader({ mode: "byob" });
    this.#exchange = exchange;
    this.#parser = createParser({
      maxBufferSize: MAX_FRAME_CHARS,
      onEvent: (event) => this.#take(event),
      onError: (error) => {
        if (error.type !== "max-buffer-size-exceeded") return;
        this.#fault ??= new UpstreamCut(
          "malformed",
          `An event exceeds ${MAX_FRAME_CHARS} characters`,
        );
      },
    });
  }

  /** The error that the upstream sent as an event, if it did. */
  get reported(): ReportedError | undefined {
    return this.#reported;
  }

  /** Gives a batch back: the next read brings it again. */
  unread(batch: readonly string[]): void {
    this.#unread = batch;
  }

  /** What the next read that brings events brings. */
  async next(): Promise<IteratorResult<readonly string[], undefined>> {
    const unread = this.#unread;
    if (unread !== undefined) {
      this.#unread = undefined;
      return { done: false, value: unread };
    }
    try {
      // What came before a fault is delivered before it.
      if (this.#fault !== undefined) throw this.#fault;
      while (!this.#done) {
        if (this.#ended) throw this.#endOfBody();
        await this.#read();
        if (this.#batch.length > 0) return { done: false, value: this.#taken() };
        if (this.#fault !== undefined) throw this.#fault;
      }
      await this.#drain();
      return END;
    } catch (error) {
      const cut = error instanceof UpstreamCut ? error : this.#cutBy(error);
      this.#abandon();
      throw cut;
    }
  }

  /** Leaves early: the upstream is cancelled. */
  return(): Promise<IteratorResult<readonly string[], undefined>> {
    this.#unread = undefined;
    this.#done = true;
    this.#abandon();
    return Promise.resolve(END);
  }

  /** Itself: it can be iterated once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<void> {
    // Until the first byte has come its own limit is running.
    if (this.#begun) this.#exchange.expect();
    const { done, value } = await this.#reader.read(this.#buffer);
    this.#exchange.rest();
    this.#begun = true;
    if (done) {
      // Left while this read was pending.
      if (this.#done) throw this.#endOfBody();
      this.#ended = true;
      this.#parser.feed("\n\n");
      return;
    }
    this.#feed(value);
    this.#buffer = new Uint8Array(value.buffer);
  }

  #taken(): readonly string[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  #feed(bytes: Uint8Array): void {
    let text;
    try {
      text = this.#decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new UpstreamCut("malformed", "The stream is no UTF-8", { cause });
    }
    this.#parser.feed(text);
  }

  #take({ event, data }: EventSourceMessage): void {
    if (this.#done || this.#fault !== undefined) return;
    if (data === "[DONE]") {
      this.#done = true;
      return;
    }
    if (data.length > SHALLOW_CHARS && isTooDeep(data)) {
      this.#fault = new UpstreamCut("malformed", "An event goes too deep");
      return;
    }
    // Without its blank line it was cut, unless it is whole all the same.
    if (this.#ended && parseObject(data) === undefined) return;
    const reported = event === "error" ? errorEvent(data) : errorField(data);
    if (reported === undefined) {
      this.#batch.push(data);
      return;
    }
    this.#reported = reported;
    const words = wordsOf(reported.message, this.#secrets);
    this.#fault = new UpstreamCut("server_error", "The upstream reported an error", { words });
  }

  #endOfBody(): UpstreamCut {
    return new UpstreamCut("cut", "The stream ended without [DONE]");
  }

  #cutBy(cause: unknown): UpstreamCut {
    switch (this.#exchange.stopped) {
      case "timeout":
        return new UpstreamCut("timeout", "The stream stalled", { cause });
      case "cancelled":
        return new UpstreamCut("cut", "The call was cancelled", { cause });
      default:
        return new UpstreamCut("cut", "The connection broke", { cause });
    }
  }

  /** Reads on to the end of the body, which is due now, so that the connection can be used again. */
  async #drain(): Promise<void> {
    this.#exchange.expectWithin(DRAIN_MS);
    try {
      for (;;) {
        const { done, value } = await this.#reader.read(this.#buffer);
        if (done) break;
        this.#buffer = new Uint8Array(value.buffer);
      }
      this.#exchange.end();
    } catch {
      // The answer is complete: how its connection ends is nobody's concern.
      this.#abandon();
    }
  }

  #abandon(): void {
    // What was read ahead belongs to the reader, not to the exchange. Cancelling rejects where the
    // connection has broken already, and then there is nothing left to cancel.
    this.#reader.cancel().catch(() => {});
    this.#exchange.abandon();
  }
}

function errorEvent(data: string): ReportedError {
  const value = parseObject(data);
  return readError(value) ?? readError({ error: value ?? data }) ?? { message: data };
}

/** The error in a data-only event. Looked for as text first: nearly no event has one. */
function errorField(data: string): ReportedError | undefined {
  return data.includes('"error"') ? readError(parseObject(data)) : undefined;
}
