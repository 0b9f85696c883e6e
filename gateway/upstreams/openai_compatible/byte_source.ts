import type { IncomingMessage } from "node:http";

/** Receiver of the bytes of a body. */
export interface ByteSink {
  /** Takes bytes, which are valid only during the call. */
  bytes(bytes: Uint8Array): void;
  /** Takes the end, once; `broken` has the error of a body that broke off. */
  ended(broken?: { readonly error: unknown }): void;
}

/** A body whose bytes are passed to a sink, as they arrive. */
export interface ByteSource {
  /** Begins to read, or continues. */
  resume(): void;
  /** Stops reading soon: what has been read is still passed on. */
  pause(): void;
  /** Ends the body early, also while a read is pending. */
  cancel(): void;
}

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

/** The body of a response of `node:http`. */
export class MessageBytes implements ByteSource {
  readonly #message: IncomingMessage;
  readonly #sink: ByteSink;
  #hasBegun = false;
  #hasEnded = false;

  constructor(message: IncomingMessage, sink: ByteSink) {
    this.#message = message;
    this.#sink = sink;
  }

  resume(): void {
    const message = this.#message;
    if (this.#hasBegun) return void message.resume();
    this.#hasBegun = true;
    if (message.destroyed) return this.#end({ error: new Error("The connection was closed") });
    message.on("end", () => this.#end());
    message.on("error", (error) => this.#end({ error }));
    // A body that is cut may end without an error.
    message.on("close", () => this.#end({ error: new Error("The connection was closed") }));
    message.on("data", (bytes: Uint8Array) => this.#sink.bytes(bytes));
  }

  pause(): void {
    this.#message.pause();
  }

  cancel(): void {
    this.#message.destroy();
  }

  #end(broken?: { readonly error: unknown }): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#sink.ended(broken);
  }
}
