import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";
import { type PacedEvents, UpstreamCut } from "../../ports/upstream.ts";
import { BatchPace } from "../../system/batch_pace.ts";
import type { ByteSink, ByteSource, PlainAnswer } from "../../system/plain_answer.ts";
import { isTooDeep, parseObject } from "./body.ts";
import { cutBy, type Exchange } from "./exchange.ts";
import { readError, type ReportedError, wordsOf } from "./failure.ts";
import { FetchedBytes } from "./fetched_bytes.ts";
import { WaitingBytes } from "./waiting_bytes.ts";

/** Maximum length of an event, in UTF-16 code units. */
export const MAX_FRAME_CHARS = 16 * 1024 * 1024;

// Shorter events cannot be nested so deeply that parsing them takes long.
const SHALLOW_CHARS = 16 * 1024;
// Maximum time for which the connection stays open after `[DONE]`, to be used again, in
// milliseconds.
const DRAIN_MS = 100;

/** Maximum bytes that are relayed at once: one read of a socket may bring more. */
const BATCH_MAX_BYTES = 16 * 1024;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The events of a streamed answer. Bytes are read ahead and wait as they are; a batch is decoded and
 * parsed when it is requested. The last event counts without its blank line too, if its data is a
 * complete JSON object or `[DONE]`. An iterator written by hand and not a generator, because
 * `return` must cancel at once, also while a read is pending.
 */
export class SseEvents implements PacedEvents, ByteSink, AsyncIterableIterator<readonly string[]> {
  readonly #source: ByteSource;
  readonly #exchange: Exchange;
  readonly #secrets: readonly string[];
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #parser: EventSourceParser;
  readonly #pace = new BatchPace();
  readonly #waiting = new WaitingBytes();
  #isPaced = false;
  /** True while the source reads. */
  #isReading = false;
  /** Resolves when the body has ended. */
  readonly #bodyEnd = Promise.withResolvers<void>();
  /** The error that broke the body off. */
  #broken: { readonly error: unknown } | undefined;
  #isBetweenEvents = true;
  /** True while an event may have an error member, which nearly none has. */
  #mayReport = true;
  #batch: string[] = [];
  #unread: readonly string[] | undefined;
  #hasBegun = false;
  /** True once nothing more is to be parsed. */
  #done = false;
  /** True once the iteration was ended early. */
  #isLeft = false;
  /** True once the whole body was parsed, so that only its last event can follow. */
  #ended = false;
  #fault: UpstreamCut | undefined;
  #reported: ReportedError | undefined;

  private constructor(
    sourceFor: (sink: ByteSink) => ByteSource,
    exchange: Exchange,
    secrets: readonly string[],
  ) {
    this.#secrets = secrets;
    this.#source = sourceFor(this);
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

  /** Takes over the exchange, which ends with the iteration. No message repeats `secrets`. */
  static ofBody(
    body: ReadableStream<Uint8Array>,
    exchange: Exchange,
    secrets: readonly string[] = [],
  ): SseEvents {
    return new SseEvents((sink) => new FetchedBytes(body, sink), exchange, secrets);
  }

  /** Does the same for an answer over plain HTTP. */
  static ofAnswer(
    answer: PlainAnswer,
    exchange: Exchange,
    secrets: readonly string[] = [],
  ): SseEvents {
    return new SseEvents((sink) => answer.to(sink), exchange, secrets);
  }

  /** Returns the error that the upstream sent as an event, if any. */
  get reported(): ReportedError | undefined {
    return this.#reported;
  }

  pace(): void {
    this.#isPaced = true;
  }

  /** Returns a batch to the stream: the next read returns it again. */
  unread(batch: readonly string[]): void {
    this.#unread = batch;
  }

  takeWaiting(): readonly string[] {
    while (this.#feedWaiting());
    return this.#takeBatch();
  }

  /** Returns the events that wait, as soon as there are any. */
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
        this.#readAhead();
        await this.#pace.due();
        if (this.#isLeft) throw this.#endOfBody();
        if (!this.#feedWaiting()) this.#endBody();
        if (this.#batch.length > 0) {
          if (this.#isPaced) this.#pace.pause();
          return { done: false, value: this.#takeBatch() };
        }
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
    this.#isLeft = true;
    this.#abandon();
    return Promise.resolve(END);
  }

  /** Returns the iterator itself, since the answer can be iterated only once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes bytes of the body, see {@linkcode ByteSink}. */
  bytes(bytes: Uint8Array): void {
    this.#hasBegun = true;
    // The limit of the end applies after `[DONE]`.
    if (this.#done) return;
    this.#waiting.add(bytes);
    this.#pace.added(bytes.length);
    if (this.#pace.isFull) this.#rest();
    else this.#exchange.expect();
  }

  /** Takes the end of the body, see {@linkcode ByteSink}. */
  ended(broken?: { readonly error: unknown }): void {
    this.#broken = broken;
    this.#exchange.rest();
    this.#pace.end();
    this.#bodyEnd.resolve();
  }

  #readAhead(): void {
    if (this.#isReading || this.#pace.hasEnded || this.#pace.isFull) return;
    this.#isReading = true;
    // The limit for the first byte applies until it has arrived.
    if (this.#hasBegun && !this.#done) this.#exchange.expect();
    this.#source.resume();
  }

  /** Stops reading, because so much waits that it must be taken first. */
  #rest(): void {
    this.#isReading = false;
    this.#source.pause();
    this.#exchange.rest();
  }

  #takeBatch(): readonly string[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  /** Parses the bytes that wait. Returns false where none do. */
  #feedWaiting(): boolean {
    const bytes = this.#waiting.take(BATCH_MAX_BYTES);
    this.#pace.taken(bytes.length);
    if (bytes.length > 0) this.#feed(bytes);
    return bytes.length > 0;
  }

  /** Parses the last event of a body that has ended. Throws the error of one that broke off. */
  #endBody(): void {
    if (this.#broken !== undefined) throw this.#broken.error;
    this.#ended = true;
    this.#mayReport = true;
    this.#parser.feed("\n\n");
  }

  #feed(bytes: Uint8Array): void {
    // A parser whose limit was passed takes nothing more.
    if (this.#fault !== undefined) return;
    let text;
    try {
      text = this.#decoder.decode(bytes, { stream: true });
    } catch (cause) {
      // The events before the first invalid byte are delivered.
      this.#mayReport = true;
      const [valid = ""] = new TextDecoder().decode(bytes).split("\ufffd", 1);
      this.#parser.feed(valid);
      this.#fault ??= new UpstreamCut("malformed", "The stream is no UTF-8", { cause });
      return;
    }
    // An event may have begun in the text before.
    this.#mayReport = !this.#isBetweenEvents || text.includes('"error"');
    this.#isBetweenEvents = text.endsWith("\n\n");
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
    const reported = event === "error"
      ? errorEvent(data)
      : this.#mayReport
      ? errorField(data)
      : undefined;
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
    this.#waiting.take(Infinity);
    this.#pace.taken();
    this.#readAhead();
    await this.#bodyEnd.promise;
    // The answer is complete, so it does not matter if the connection broke.
    if (this.#broken === undefined) this.#exchange.end();
    else this.#abandon();
  }

  #abandon(): void {
    this.#source.cancel();
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
