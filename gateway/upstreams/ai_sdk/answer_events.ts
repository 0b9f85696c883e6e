import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { UpstreamCut } from "../../ports/upstream.ts";
import type { Exchange } from "../openai_compatible/exchange.ts";
import type { ChunkWriter } from "./chunk_writer.ts";
import type { Transport } from "./transport.ts";

// Maximum time for which the connection stays open after the answer, to be used again, in
// milliseconds.
const DRAIN_MS = 100;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Parts that the events of an answer need. */
export interface AnswerEventsOptions {
  /** Writes the chunks of the answer. */
  readonly writer: ChunkWriter;
  /** Knows the reason when the answer breaks off. */
  readonly transport: Transport;
  /** Ends with the iteration. */
  readonly exchange: Exchange;
}

/**
 * The events of a streamed answer, one batch for each part. An iterator written by hand and not a
 * generator, because `return` must cancel at once, also while a read is pending.
 */
export class AnswerEvents implements AsyncIterableIterator<readonly string[]> {
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
  readonly #options: AnswerEventsOptions;
  #unread: readonly string[] | undefined;
  #done = false;

  /** Reads nothing yet. */
  constructor(parts: ReadableStream<LanguageModelV4StreamPart>, options: AnswerEventsOptions) {
    this.#reader = parts.getReader();
    this.#options = options;
  }

  /** Returns a batch to the stream: the next read returns it again. */
  unread(batch: readonly string[]): void {
    this.#unread = batch;
  }

  /** Returns the chunks of the next part that has any. */
  async next(): Promise<IteratorResult<readonly string[], undefined>> {
    const unread = this.#unread;
    if (unread !== undefined) {
      this.#unread = undefined;
      return { done: false, value: unread };
    }
    if (this.#done) return END;
    try {
      return await this.#nextBatch();
    } catch (error) {
      this.#done = true;
      this.#abandon();
      throw this.#options.transport.fault ??
        this.#options.transport.withProviderMessage(cutOf(error));
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

  async #nextBatch(): Promise<IteratorResult<readonly string[], undefined>> {
    const { writer } = this.#options;
    for (;;) {
      if (writer.finished) {
        await this.#drain();
        return END;
      }
      const { done, value: part } = await this.#reader.read();
      if (this.#done) return END;
      if (done) throw new UpstreamCut("cut", "The stream ended before the answer did");
      const batch = writer.write(part);
      if (batch.length > 0) return { done: false, value: batch };
    }
  }

  /** Reads to the end of the body, so that the connection can be used again. */
  async #drain(): Promise<void> {
    const { exchange } = this.#options;
    this.#done = true;
    exchange.expectWithin(DRAIN_MS);
    try {
      while (!(await this.#reader.read()).done);
      exchange.end();
    } catch {
      // The answer is complete, so the end of the connection does not matter.
      this.#abandon();
    }
  }

  #abandon(): void {
    // Cancelling rejects where the connection is broken already.
    this.#reader.cancel().catch(() => {});
    this.#options.exchange.abandon();
  }
}

function cutOf(cause: unknown): UpstreamCut {
  if (cause instanceof UpstreamCut) return cause;
  return new UpstreamCut("malformed", "The stream is malformed", { cause });
}
