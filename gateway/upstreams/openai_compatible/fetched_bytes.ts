import type { ByteSink, ByteSource } from "../../system/plain_answer.ts";

// Maximum length of one read, in bytes.
const READ_BYTES = 16 * 1024;

/** The body of a response of `fetch`. */
export class FetchedBytes implements ByteSource {
  readonly #reader: ReadableStreamBYOBReader;
  readonly #sink: ByteSink;
  // One buffer for all reads: otherwise each would allocate 64 KiB for a line of text.
  #buffer = new Uint8Array(READ_BYTES);
  #isReading = false;
  #isPaused = true;

  constructor(body: ReadableStream<Uint8Array>, sink: ByteSink) {
    this.#reader = body.getReader({ mode: "byob" });
    this.#sink = sink;
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isReading) void this.#read();
  }

  pause(): void {
    this.#isPaused = true;
  }

  cancel(): void {
    // Data that was read ahead belongs to the reader and not to the exchange. Cancelling rejects
    // where the connection is broken already.
    this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (!this.#isPaused) {
        const { done, value } = await this.#reader.read(this.#buffer);
        if (done) return this.#sink.ended();
        this.#sink.bytes(value);
        this.#buffer = new Uint8Array(value.buffer);
      }
      this.#isReading = false;
    } catch (error) {
      this.#sink.ended({ error });
    }
  }
}
