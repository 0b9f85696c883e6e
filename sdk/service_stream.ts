const encoder = new TextEncoder();
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Opens the source of a stream. The signal aborts when the stream is no longer needed. */
export type OpenStream<Event, Final> = (signal: AbortSignal) => AsyncIterator<Event, Final, void>;

/**
 * An answer that is still arriving, as `create({ stream: true })` returns it: iterate it for its
 * events, call {@linkcode EventStream.final} for the merged value. It reads only as fast as its
 * reader.
 *
 * An early return from the iteration ends the call. A failure without a reader causes no unhandled
 * rejection.
 *
 * @example
 * ```ts
 * import { EventStream } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const stream = new EventStream<string, number>(async function* () {
 *   yield "Hello, ";
 *   yield "world";
 *   return 2;
 * });
 * let text = "";
 * for await (const piece of stream) text += piece;
 *
 * assertEquals(text, "Hello, world");
 * assertEquals(await stream.final(), 2);
 * ```
 */
export class EventStream<Event, Final> implements AsyncIterable<Event> {
  readonly #open: OpenStream<Event, Final>;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #final: Promise<Final>;
  #resolve: (final: Final) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #source: AsyncIterator<Event, Final, void> | undefined;
  #isTaken = false;
  #isOver = false;
  /** Drains a stream that ended without a reader. */
  #rest: Promise<void> | undefined;
  /** The event that was read before there was a reader. */
  #ahead: IteratorResult<Event, undefined> | undefined;
  /** Reads in flight. Without one, only the source can end the stream. */
  #reads = 0;

  /**
   * Creates a stream without opening it. The caller's signal ends it like {@linkcode
   * EventStream.abort}.
   */
  constructor(
    open: OpenStream<Event, Final>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ) {
    this.#open = open;
    this.#outer = signal;
    this.#final = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // `final()` rejects for callers that await it; an iteration has thrown the failure already.
    this.#final.catch(() => {});
  }

  /**
   * Iterates the events, for one reader.
   *
   * @throws {TypeError} The stream has a reader, or had one.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Event> {
    if (this.#isTaken) {
      throw new TypeError("Cannot read a stream twice: its events go to one reader");
    }
    this.#isTaken = true;
    // No generator around the source's: that would double the cost of each event.
    return {
      next: () => this.#next(),
      return: () => this.#leave(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /**
   * Returns the final value. Reads the stream when no other reader does; else waits until the
   * reader is done.
   */
  async final(): Promise<Final> {
    if (!this.#isTaken) {
      const events = this[Symbol.asyncIterator]();
      this.#reads++;
      try {
        while (!(await events.next()).done);
      } catch {
        // The final value rejects with it.
      } finally {
        this.#reads--;
      }
    }
    return await this.#final;
  }

  /**
   * Opens the call and waits for its first event, which stays to be read. Rejects when the call is
   * refused before that.
   */
  async opened(): Promise<void> {
    if (!this.#isTaken) this.#ahead ??= await this.#read();
  }

  /** Ends the call; readers and `final()` reject with the reason. */
  abort(reason: unknown = new DOMException("The stream was aborted", "AbortError")): void {
    this.#stop(reason);
    if (this.#reads > 0 || this.#isOver) return;
    if (this.#source === undefined) return this.#reject(reason);
    // The source knows the outcome best: a run has completed steps by then. Its reader may never
    // return.
    this.#rest = this.#drain();
    this.#rest.catch(() => {});
  }

  /**
   * Returns the events as bytes, one JSON document a line, for the body of a response. It reads as
   * fast as it is sent; cancelling it ends the call.
   */
  toReadableStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const events = this[Symbol.asyncIterator]();
    return new ReadableStream({
      pull: async (controller) => {
        const next = await events.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      },
      cancel: async (reason) => {
        this.abort(reason);
        await events.return?.();
      },
    }, { highWaterMark: 0 });
  }

  #next(): Promise<IteratorResult<Event, undefined>> {
    const ahead = this.#ahead;
    if (ahead !== undefined) {
      this.#ahead = undefined;
      return Promise.resolve(ahead);
    }
    const rest = this.#rest;
    if (rest === undefined) return this.#read();
    this.#rest = undefined;
    return rest.then(() => DONE);
  }

  async #drain(): Promise<void> {
    while (!(await this.#read()).done);
  }

  async #read(): Promise<IteratorResult<Event, undefined>> {
    if (this.#isOver) return DONE;
    this.#reads++;
    try {
      this.#source ??= this.#begin();
      const next = await this.#source.next();
      if (!next.done) return next;
      this.#resolve(next.value);
      this.#end();
      return DONE;
    } catch (error) {
      this.#reject(error);
      this.#end();
      throw error;
    } finally {
      this.#reads--;
    }
  }

  #begin(): AsyncIterator<Event, Final, void> {
    const { signal } = this.#controller;
    if (this.#outer?.aborted) this.#follow();
    // It may outlive the stream: its listener is removed at the end.
    this.#outer?.addEventListener("abort", this.#follow);
    signal.throwIfAborted();
    return this.#open(signal);
  }

  /** Ends the call at once, also while an event is awaited. */
  async #leave(): Promise<IteratorReturnResult<undefined>> {
    const reason = new DOMException(
      "The reader ended the stream before it was complete",
      "AbortError",
    );
    this.#stop(reason);
    if (this.#reads === 0) this.#reject(reason);
    this.#end();
    await this.#source?.return?.();
    this.#reject(reason);
    return DONE;
  }

  #stop(reason: unknown): void {
    this.#controller.abort(reason);
    this.#outer?.removeEventListener("abort", this.#follow);
  }

  #end(): void {
    this.#isOver = true;
    this.#outer?.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => this.abort(this.#outer?.reason);
}

/**
 * An {@linkcode EventStream} that can be awaited for its final value, before or after its events
 * are iterated. Nothing is sent before it is read.
 *
 * An early return from the iteration ends the call. A stream that is never read sends nothing, and
 * a failure without a reader causes no unhandled rejection.
 *
 * @example
 * ```ts
 * import { ServiceStream } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const stream = new ServiceStream<string, number>(async function* () {
 *   yield "Hello, ";
 *   yield "world";
 *   return 2;
 * });
 * let text = "";
 * for await (const piece of stream) text += piece;
 *
 * assertEquals(text, "Hello, world");
 * assertEquals(await stream, 2);
 * ```
 */
export class ServiceStream<Event, Final> extends EventStream<Event, Final>
  implements PromiseLike<Final> {
  /** Makes `await` return the final value, as does returning the stream from an async function. */
  then<Fulfilled = Final, Rejected = never>(
    onFulfilled?: ((final: Final) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.final().then(onFulfilled, onRejected);
  }
}
