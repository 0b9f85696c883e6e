import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { UpstreamCut } from "../../ports/upstream.ts";
import { isTooDeep, parseObject } from "./body.ts";
import { cutBy, type Exchange } from "./exchange.ts";
import { readError, type ReportedError, wordsOf } from "./failure.ts";

/** Maximum length of an event, in UTF-16 code units. */
export const MAX_FRAME_CHARS = 16 * 1024 * 1024;

// Shorter events cannot be nested so deeply that parsing them takes long.
const SHALLOW_CHARS = 16 * 1024;
// Maximum length of one read, in bytes.
const READ_BYTES = 16 * 1024;
// Maximum time for which the connection stays open after `[DONE]`, to be used again, in
// milliseconds.
const DRAIN_MS = 100;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The events of a streamed answer, one batch for each read. The last event counts without its blank
 * line too, if its data is a complete JSON object or `[DONE]`. An iterator written by hand and not
 * a generator, because `return` must cancel at once, also while a read is pending.
 */
export class SseEvents implements AsyncIterableIterator<readonly string[]> {
  readonly #reader: ReadableStreamBYOBReader;
  readonly #exchange: Exchange;
  readonly #secrets: readonly string[];
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #parser: EventSourceParser;
  // One buffer for all reads: otherwise each would allocate 64 KiB for a line of text.
  #buffer = new Uint8Array(READ_BYTES);
  #batch: string[] = [];
  #unread: readonly string[] | undefined;
  #hasBegun = false;
  #done = false;
  /** True once the body has ended, so that only its last event can follow. */
  #ended = false;
  #fault: UpstreamCut | undefined;
  #reported: ReportedError | undefined;

  /** Takes over the exchange, which ends with the iteration. No message repeats `secrets`. */
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

  /** Returns the error that the upstream sent as an event, if any. */
  get reported(): ReportedError | undefined {
    return this.#reported;
  }

  /** Returns a batch to the stream: the next read returns it again. */
  unread(batch: readonly string[]): void {
    this.#unread = batch;
  }

  /** Returns the events of the next read that has any. */
  async next(): Promise<IteratorResult<readonly string[], undefined>> {
    const unread = this.#unread;
    if (unread !== undefined) {
      this.#unread = undefined;
      return { done: false, value: unread };
    }
    try {
      // Events before a fault are delivered before it.
      if (this.#fault !== undefined) throw this.#fault;
      while (!this.#done) {
        if (this.#ended) throw this.#endOfBody();
        await this.#read();
        if (this.#batch.length > 0) return { done: false, value: this.#takeBatch() };
        if (this.#fault !== undefined) throw this.#fault;
      }
      await this.#drain();
      return END;
    } catch (error) {
      const cut = error instanceof UpstreamCut ? error : cutBy(this.#exchange, error);
      this.#abandon();
      throw cut;
    }
  }

  /** Ends the iteration early and cancels the upstream. */
  return(): Promise<IteratorResult<readonly string[], undefined>> {
    this.#unread = undefined;
    this.#done = true;
    this.#abandon();
    return Promise.resolve(END);
  }

  /** Returns the iterator itself, since the answer can be iterated only once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<void> {
    // The limit for the first byte applies until it has arrived.
    if (this.#hasBegun) this.#exchange.expect();
    const { done, value } = await this.#reader.read(this.#buffer);
    this.#exchange.rest();
    this.#hasBegun = true;
    if (done) {
      // The iteration ended while this read was pending.
      if (this.#done) throw this.#endOfBody();
      this.#ended = true;
      this.#parser.feed("\n\n");
      return;
    }
    this.#feed(value);
    this.#buffer = new Uint8Array(value.buffer);
  }

  #takeBatch(): readonly string[] {
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
      this.#fault = new UpstreamCut("malformed", "An event is nested too deeply");
      return;
    }
    // Without its blank line the event was cut, unless it is complete.
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

  /** Reads to the end of the body, so that the connection can be used again. */
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
      // The answer is complete, so the end of the connection does not matter.
      this.#abandon();
    }
  }

  #abandon(): void {
    // Data that was read ahead belongs to the reader and not to the exchange. Cancelling rejects
    // where the connection is broken already.
    this.#reader.cancel().catch(() => {});
    this.#exchange.abandon();
  }
}

function errorEvent(data: string): ReportedError {
  const value = parseObject(data);
  return readError(value) ?? readError({ error: value ?? data }) ?? { message: data };
}

/**
 * Returns the error in a data-only event. Searches the text first, because nearly no event has one.
 */
function errorField(data: string): ReportedError | undefined {
  return data.includes('"error"') ? readError(parseObject(data)) : undefined;
}
