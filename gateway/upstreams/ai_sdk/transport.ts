import type { Clock } from "../../ports/clock.ts";
import { UpstreamCut, type UpstreamFailure } from "../../ports/upstream.ts";
import { retryAfterMsOf } from "../../system/retry_after.ts";
import {
  isTooDeep,
  MAX_ERROR_BYTES,
  MAX_JSON_BYTES,
  parseJson,
  readText,
} from "../openai_compatible/body.ts";
import { cutBy, type Exchange } from "../openai_compatible/exchange.ts";
import { failureOf, readErrorAnswer, redact, wordsOf } from "../openai_compatible/failure.ts";
import { MAX_FRAME_CHARS } from "../openai_compatible/sse_events.ts";
import { FrameDepth } from "./frame_depth.ts";

/** Dependencies of a transport. */
export interface TransportOptions {
  /** Holds the time limits and the caller's signal. */
  readonly exchange: Exchange;
  /** Reads `Retry-After` dates. */
  readonly clock: Clock;
  /** True when the answer is to be a stream. */
  readonly stream: boolean;
  /** Media type of the provider's streams beside `text/event-stream`. @default {none} */
  readonly streamType?: string | undefined;
  /** Credentials of the upstream, which no message may repeat. */
  readonly secrets: readonly string[];
  /** W3C trace context to send. */
  readonly traceparent?: string | undefined;
  /** Last edit of the request's body. */
  readonly editBody?: ((body: string) => string) | undefined;
}

const EVENT_TYPE = /^text\/event-stream\b/;
const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\b/;
const LINE_FEED = 10;

/**
 * The `fetch` of one call: one request within the exchange's limits, whose answer is bounded and
 * examined before the provider package reads it. Errors are recorded here, because packages wrap or
 * lose them.
 */
export class Transport {
  readonly #options: TransportOptions;
  /** HTTP status, once it is known. */
  status: number | undefined;
  /** The classified error answer. */
  failure: UpstreamFailure | undefined;
  /** The reason why the answer's body broke off. */
  fault: UpstreamCut | undefined;
  /** True once the package has sent its request. */
  sent = false;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** The `fetch` for the provider package. */
  readonly fetch: typeof fetch = async (input, init = {}) => {
    const { editBody, exchange, traceparent } = this.#options;
    const { body, headers, method = "POST" } = init;
    const sentBody = typeof body === "string" && editBody !== undefined ? editBody(body) : body;
    this.sent = true;
    // A redirect would carry the prompt, and the key, to an address that the operator has not
    // configured.
    const response = await exchange.open(urlOf(input), {
      method,
      redirect: "manual",
      ...(traceparent !== undefined
        ? { headers: withTraceparent(headers, traceparent) }
        : headers === undefined
        ? {}
        : { headers }),
      ...(sentBody == null ? {} : { body: sentBody }),
    });
    this.status = response.status;
    if (response.status !== 200) return await this.#refuse(response);
    const type = response.headers.get("content-type")?.toLowerCase() ?? "";
    if (!this.#isExpected(type)) {
      const shown = redact(type, this.#options.secrets);
      throw this.#fail({ outcome: "malformed", message: `The answer is "${shown}"` });
    }
    if (response.body === null) {
      throw this.#fail({ outcome: "malformed", message: "The answer is empty" });
    }
    const answer = this.#options.stream
      ? this.#bounded(response.body, EVENT_TYPE.test(type) ? new FrameDepth() : undefined)
      : await this.#text(response);
    return new Response(answer, { headers: response.headers });
  };

  /** True for the content type of the answer that the call asked for. */
  #isExpected(type: string): boolean {
    const { stream, streamType } = this.#options;
    if (!stream) return JSON_TYPES.test(type);
    return EVENT_TYPE.test(type) || type.split(";")[0]?.trim() === streamType;
  }

  /** Adds the provider's message to a broken stream. */
  withProviderMessage(cut: UpstreamCut): UpstreamCut {
    const { cause, message, outcome } = cut;
    if (outcome !== "server_error" || cause === undefined) return cut;
    const words = wordsOf(messageOf(cause), this.#options.secrets);
    return new UpstreamCut(outcome, message, { cause, words });
  }

  /** Reads a complete body and checks it, because a package would parse anything. */
  async #text(response: Response): Promise<string> {
    const { exchange } = this.#options;
    let text: string | undefined;
    try {
      text = await readText(response, exchange, { maxBytes: MAX_JSON_BYTES });
    } catch (error) {
      throw this.fault = cutBy(exchange, error);
    }
    if (text !== undefined && !isTooDeep(text)) return text;
    const message = "The answer is too long, too deep or no UTF-8";
    throw this.#fail({ outcome: "malformed", message });
  }

  async #refuse(response: Response): Promise<never> {
    const { clock, exchange, secrets } = this.#options;
    let text: string | undefined;
    try {
      text = await readText(response, exchange, { maxBytes: MAX_ERROR_BYTES });
    } catch (error) {
      if (exchange.stopped === "cancelled") throw error;
      // The status is enough where the body does not arrive.
      text = undefined;
    }
    const retryAfterMs = retryAfterMsOf(response.headers, clock.nowMs());
    const error = readErrorAnswer(parseJson(text ?? ""));
    const { status } = response;
    throw this.#fail(failureOf(error, { status, retryAfterMs, secrets, text }));
  }

  #fail(failure: Omit<UpstreamFailure, "kind">): Error {
    this.failure = { status: this.status, ...failure, kind: "failure" };
    return new Error(failure.message);
  }

  /** Reads a stream no faster than the package, with limits on the size and depth of a frame. */
  #bounded(
    body: ReadableStream<Uint8Array>,
    depth: FrameDepth | undefined,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { exchange } = this.#options;
    const reader = body.getReader();
    let hasBegun = false;
    let bytes = 0;
    return new ReadableStream({
      pull: async (controller) => {
        // The limit for the first byte applies until it has arrived.
        if (hasBegun) exchange.expect();
        try {
          const { done, value } = await reader.read();
          exchange.rest();
          hasBegun = true;
          if (done) {
            exchange.end();
            return controller.close();
          }
          const lineStart = value.lastIndexOf(LINE_FEED) + 1;
          bytes = lineStart > 0 ? value.length - lineStart : bytes + value.length;
          if (bytes > MAX_FRAME_CHARS || depth?.exceededBy(value)) {
            throw new UpstreamCut("malformed", "An event is too long or too deep");
          }
          controller.enqueue(new Uint8Array(value));
        } catch (error) {
          this.fault ??= error instanceof UpstreamCut ? error : cutBy(exchange, error);
          exchange.abandon();
          // Cancelling rejects where the connection is broken already.
          reader.cancel(this.fault).catch(() => {});
          controller.error(this.fault);
        }
      },
      cancel: async (reason) => {
        exchange.abandon();
        await reader.cancel(reason).catch(() => {});
      },
    }, { highWaterMark: 0 });
  }
}

/** Returns the message of a provider's error, in any shape that a package passes on. */
function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error === "string") return error;
  return readErrorAnswer(error).message || (JSON.stringify(error) ?? "");
}

function urlOf(input: string | URL | Request): string {
  return input instanceof Request ? input.url : String(input);
}

/** Adds a header also to signed requests: headers that are not signed may be added. */
function withTraceparent(headers: HeadersInit | undefined, traceparent: string): Headers {
  const all = new Headers(headers);
  all.set("traceparent", traceparent);
  return all;
}
