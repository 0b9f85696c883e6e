import type { Dispatcher } from "undici";

/** Receiver of the bytes of a body. */
export interface ByteSink {
  /** Takes bytes, which are valid only during the call. */
  bytes(bytes: Uint8Array): void;
  /** Takes the end, once; `broken` has the error of a body that broke off. */
  ended(broken?: Broken): void;
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

/** The reason why a body broke off. */
export interface Broken {
  readonly error: unknown;
}

/** Bytes of a body that wait for a reader before the connection is no longer read. */
const WAITING_BYTES_MAX = 64 * 1024;
const BODILESS: readonly number[] = [204, 205, 304];
/** The highest status that a response of `fetch` can have. */
const STATUS_MAX = 599;

type Fields = Readonly<Record<string, string | string[] | undefined>>;

/** The headers of an answer, as those of `fetch` are read. */
export class PlainHeaders {
  readonly #fields: Fields;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  /** Returns the value of a header by its name in lower case; several are joined. */
  get(name: string): string | null {
    const value = this.#fields[name];
    return Array.isArray(value) ? value.join(", ") : value ?? null;
  }

  /** True where there is a header of that name, in lower case. */
  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  /** Returns them as `fetch` does. Throws a `TypeError` for a value that those cannot have. */
  copied(): Headers {
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(this.#fields)) {
      for (const value of [values].flat()) headers.append(name, value);
    }
    return headers;
  }
}

/** An answer over plain HTTP. Its body is read once, by one sink. */
export class PlainAnswer implements ByteSource {
  /** The status, from 200 on; it may be one that `fetch` does not know. */
  readonly status: number;
  readonly headers: PlainHeaders;
  readonly #controller: Dispatcher.DispatchController;
  #sink: ByteSink | undefined;
  #isPaused = true;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #end: { readonly broken: Broken | undefined } | undefined;

  constructor(
    controller: Dispatcher.DispatchController,
    { status, headers }: { status: number; headers: Fields },
  ) {
    this.#controller = controller;
    this.status = status;
    this.headers = new PlainHeaders(headers);
  }

  /** Sets the receiver of the body; nothing is passed to it before `resume`. */
  to(sink: ByteSink): this {
    this.#sink = sink;
    return this;
  }

  resume(): void {
    this.#isPaused = false;
    this.#passOn();
    if (!this.#isPaused && this.#controller.paused) this.#controller.resume();
  }

  pause(): void {
    this.#isPaused = true;
  }

  cancel(): void {
    if (this.#end === undefined) this.#controller.abort(new Error("The rest is not wanted"));
  }

  /** Takes bytes from the connection. */
  take(bytes: Uint8Array): void {
    if (!this.#isPaused && this.#sink !== undefined) return this.#sink.bytes(bytes);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= WAITING_BYTES_MAX) this.#controller.pause();
  }

  /** Takes the end of the body. */
  end(broken?: Broken): void {
    if (this.#end !== undefined) return;
    this.#end = { broken };
    if (!this.#isPaused) this.#passOn();
  }

  /** Returns the answer as `fetch` would. A status that none can have becomes 599. */
  fetched(): Response {
    const status = Math.min(this.status, STATUS_MAX);
    const headers = this.headers.copied();
    if (BODILESS.includes(status)) {
      this.to({ bytes: () => {}, ended: () => {} }).resume();
      return new Response(null, { status, headers });
    }
    return new Response(new ReadableStream(new Streamed(this)), { status, headers });
  }

  #passOn(): void {
    while (!this.#isPaused) {
      const bytes = this.#waiting.shift();
      if (bytes === undefined) break;
      this.#waitingBytes -= bytes.length;
      this.#sink?.bytes(bytes);
    }
    if (this.#isPaused || this.#end === undefined) return;
    const { broken } = this.#end;
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.ended(broken);
  }
}

/** The body of an answer as a stream, read no faster than its reader asks. */
class Streamed implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #answer: PlainAnswer;

  constructor(answer: PlainAnswer) {
    this.#answer = answer;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#answer.to({
      bytes: (bytes) => {
        controller.enqueue(new Uint8Array(bytes));
        if ((controller.desiredSize ?? 0) <= 0) this.#answer.pause();
      },
      ended: (broken) => broken === undefined ? controller.close() : controller.error(broken.error),
    });
  }

  pull(): void {
    this.#answer.resume();
  }

  cancel(): void {
    this.#answer.cancel();
  }
}
