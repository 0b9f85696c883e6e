import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { UpstreamCut } from "../../ports/upstream.ts";
import type { Exchange } from "../openai_compatible/exchange.ts";
import type { ChunkWriter } from "./chunk_writer.ts";
import type { Transport } from "./transport.ts";

// How long the connection may stay open after the answer's end to be used again.
const DRAIN_MS = 100;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** What the events of an answer are made of. */
export interface AnswerEventsOptions {
  /** Writes its chunks. */
  readonly writer: ChunkWriter;
  /** Knows why it broke off. */
  readonly transport: Transport;
  /** Ends with the iteration. */
  readonly exchange: Exchange;
}

/**
 * The events of a streamed answer, one batch a part. Written as an iterator by hand rather than as a
 * generator because `return` must cancel at once, also while a read is pending.
 */
export class AnswerEvents implements AsyncIterableIterator<readonly string[]> {
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
  readonly #options: AnswerEventsOptions;
  #unread: readonly string[] | undefined;
  #done = false;

  /** Nothing is read yet. */
  constructor(parts: ReadableStream<LanguageModelV4StreamPart>, options: AnswerEventsOptions) {
    this.#reader = parts.getReader();
    this.#options = options;
  }

  /** Gives a batch back: the next read brings it again. */
  unread(batch: readonly string[]): void {
    this.#unread = batch;
  }

  /** What the next part that says anything brings. */
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
      throw this.#options.transport.fault ?? this.#options.transport.withWords(cutOf(error));
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

  /** Reads on to the end of the body, which is due now, so that the connection can be used again. */
  async #drain(): Promise<void> {
    const { exchange } = this.#options;
    this.#done = true;
    exchange.expectWithin(DRAIN_MS);
    try {
      while (!(await this.#reader.read()).done);
      exchange.end();
    } catch {
      // The answer is complete: how its connection ends is nobody's concern.
      this.#abandon();
    }
  }

  #abandon(): void {
    // Cancelling rejects where the connection has broken already: nothing is left to cancel then.
    this.#reader.cancel().catch(() => {});
    this.#options.exchange.abandon();
  }
}

function cutOf(cause: unknown): UpstreamCut {
  if (cause instanceof UpstreamCut) return cause;
  return new UpstreamCut("malformed", "The stream makes no sense", { cause });
}
