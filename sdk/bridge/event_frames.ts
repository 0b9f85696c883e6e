import type { MessageStreamEvent } from "../protocol/mod.ts";
import { errorBody, problemOf } from "./anthropic_error.ts";

const encoder = new TextEncoder();
const PING = frame({ type: "ping" });

/** An answer whose events can be read and ended. */
export interface EventSource {
  /** Iterates the events, for one reader. */
  [Symbol.asyncIterator](): AsyncIterator<MessageStreamEvent, unknown, void>;
  /** Ends the call. */
  abort(reason?: unknown): void;
}

/** Settings of a stream of frames. */
export interface FrameOptions {
  /** Id of the request, for an error. */
  readonly requestId: string;
  /** Longest silence in milliseconds. */
  readonly pingMs: number;
  /** True when thinking blocks are sent without their text. */
  readonly hidesThinking: boolean;
}

/**
 * The events of a message as Anthropic frames them. It reads as fast as it is read. A `ping` is sent
 * after each silence. A failure is an `error` event, and never a clean end without `message_stop`.
 */
export class EventFrames implements UnderlyingDefaultSource<Uint8Array> {
  readonly #source: EventSource;
  readonly #events: AsyncIterator<MessageStreamEvent, unknown, void>;
  readonly #options: FrameOptions;
  #next: Promise<IteratorResult<MessageStreamEvent, unknown>> | undefined;

  /** Takes the events of a source; reads none. */
  constructor(source: EventSource, options: FrameOptions) {
    this.#source = source;
    this.#events = source[Symbol.asyncIterator]();
    this.#options = options;
  }

  /**
   * Waits for the first event, as long as a silence may last, so that a refusal has a status.
   * Rejects with the failure of the call.
   */
  async opened(): Promise<void> {
    await this.#awaited();
  }

  /** Sends the next event, or a ping. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        const next = await this.#awaited();
        if (next === undefined) return controller.enqueue(PING);
        this.#next = undefined;
        if (next.done) return controller.close();
        if (this.#isHidden(next.value)) continue;
        return controller.enqueue(frame(next.value));
      }
    } catch (error) {
      const body = errorBody(problemOf(error), this.#options.requestId);
      controller.enqueue(frame({ type: "error", ...body }));
      controller.close();
    }
  }

  /** Ends the call when the caller has left. */
  async cancel(reason: unknown): Promise<void> {
    this.#source.abort(reason);
    await this.#events.return?.();
  }

  /** Returns the next event, which stays to be taken; `undefined` after a silence. */
  async #awaited(): Promise<IteratorResult<MessageStreamEvent, unknown> | undefined> {
    this.#next ??= this.#events.next();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#options.pingMs);
    });
    return await Promise.race([this.#next, silence]).finally(() => clearTimeout(timer));
  }

  #isHidden(event: MessageStreamEvent): boolean {
    return this.#options.hidesThinking && event.type === "content_block_delta" &&
      event.delta.type === "thinking_delta";
  }
}

function frame(event: { readonly type: string }): Uint8Array<ArrayBuffer> {
  return encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
