/**
 * The path from a call to the service's answer: addresses, headers, limits, retries, errors,
 * events.
 *
 * @module
 */

import { Answer } from "./answer.ts";
import { AUTO_HEADER, autoHeader, type AutoOptions } from "./auto_choice.ts";
import type { CallOptions } from "./call.ts";
import { type CallBody, jsonBody } from "./call_body.ts";
import { CallLimit } from "./call_limit.ts";
import { contentOf } from "./content_stream.ts";
import {
  ConfigurationError,
  MissingAPIKeyError,
  ServiceAPIError,
  ServiceConnectionError,
} from "./errors.ts";
import { type Logger, unfailing } from "./logger.ts";
import { printable } from "./printable.ts";
import { DIALECT_HEADER } from "./protocol/mod.ts";
import { TAG_HEADER, tagHeader, type Tags } from "./tags.ts";
import { isTransient, retryWaitMs } from "./retry.ts";
import { EventReader } from "./sse.ts";

/** Destination and credentials of calls. */
export interface TransportOptions {
  /** Base of model calls, without a slash at the end. */
  readonly openAIBaseUrl: string;
  /** Base of the service, without a slash at the end; absent when it is not configured. */
  readonly apiBaseUrl: string | undefined;
  /** True when `headers` carry credentials. */
  readonly hasKey: boolean;
  /** Sent with every call. */
  readonly headers: Headers;
  /** Sends the requests. */
  readonly fetch: typeof fetch;
  /**
   * Time limit in milliseconds for the whole request, or the life of a consumed stream; 0 or less:
   * none.
   */
  readonly timeoutMs: number;
  /** Retries after the first attempt. */
  readonly maxRetries: number;
  /** Choice of the models of calls that state none. */
  readonly auto?: AutoOptions | undefined;
  /** Tags of calls that state none. */
  readonly tags?: Tags | undefined;
  /** Receives a line for each request and answer. */
  readonly logger?: Logger | undefined;
}

/** One call. */
export interface TransportCall extends CallOptions {
  /** `GET` has no body. */
  readonly method: "GET" | "POST" | "DELETE";
  /** The base URL under which `path` is. */
  readonly base: "openai" | "api";
  /** Path with a leading slash, and optionally a query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent in place of JSON. */
  readonly form?: CallBody;
  /** No model is called: the client's `auto` and `tags` are not sent. */
  readonly isModelless?: boolean;
  /** The call works without a key. */
  readonly isPublic?: boolean;
  /** True for the last event of a stream, which may then end without `[DONE]`. */
  readonly isLast?: (event: unknown) => boolean;
}

/** An answer in one piece. */
export interface JsonAnswer {
  /** Status and headers; the body is read. */
  readonly answer: Answer;
  /** The parsed body. */
  readonly value: unknown;
}

/** An answer as events. Both the end of the iteration and an early return end the call. */
export interface EventAnswer extends AsyncIterable<unknown> {
  /** Status and headers. */
  readonly answer: Answer;
}

/** An answer that is no JSON. */
export interface ContentAnswer {
  /** Status and headers. */
  readonly answer: Answer;
  /** The bytes. Both its end and its cancellation end the call. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** A call with its address, headers and body. */
interface SentRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: CallBody;
  readonly call: TransportCall;
}

/** A call that was answered, with the limit that may still end it. */
interface OpenCall {
  readonly answer: Answer;
  readonly limit: CallLimit;
}

/** Sends calls. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #logger: Logger | undefined;

  /** Creates a transport without sending anything. */
  constructor(options: TransportOptions) {
    this.#options = options;
    this.#logger = options.logger && unfailing(options.logger);
  }

  /** Sends a call and reads the JSON. Throws a `ServiceAPIError` when it is an error. */
  async json(call: TransportCall): Promise<JsonAnswer> {
    const { answer, limit } = await this.#open(call);
    try {
      return { answer, value: answer.read(await answer.text(limit)) };
    } catch (error) {
      throw limit.explain(error);
    } finally {
      limit.end();
    }
  }

  /** Sends a call; yields the JSON of each event until `[DONE]`, and throws at an error. */
  async events(call: TransportCall): Promise<EventAnswer> {
    const open = await this.#open(call);
    return { answer: open.answer, [Symbol.asyncIterator]: () => eventsOf(open, call) };
  }

  /** Sends a call and gives the bytes of its answer as they come. */
  async content(call: TransportCall): Promise<ContentAnswer> {
    const { answer, limit } = await this.#open(call);
    if (!answer.isJson) return { answer, body: contentOf(answer, limit) };
    try {
      // Usually an error: reading it throws that.
      const value = answer.read(await answer.text(limit));
      throw answer.error(value, "The service answered with JSON in place of a file");
    } catch (error) {
      throw limit.explain(error);
    } finally {
      limit.end();
    }
  }

  async #open(call: TransportCall): Promise<OpenCall> {
    const request = this.#request(call);
    const { signal, timeoutMs = this.#options.timeoutMs } = call;
    const limit = new CallLimit({ signal, timeoutMs });
    // An answer may come before the whole body was sent.
    limit.signal.addEventListener("abort", () => request.body.close(), { once: true });
    try {
      for (let tries = 1;; tries++) {
        const answer = await this.#try(request, { limit, tries });
        if (answer !== undefined) return { answer, limit };
      }
    } catch (error) {
      limit.end();
      throw limit.explain(error);
    }
  }

  /**
   * Runs one attempt. Returns `undefined` when it failed, the wait is over, and another may follow.
   */
  async #try(
    request: SentRequest,
    { limit, tries }: { readonly limit: CallLimit; readonly tries: number },
  ): Promise<Answer | undefined> {
    const { maxRetries } = this.#options;
    const logger = this.#logger;
    const about = { method: request.call.method, path: request.call.path, tries };
    logger?.debug("request", about);
    const startedMs = performance.now();
    const answer = await this.#send(request, limit);
    const isAnswer = answer instanceof Answer;
    const { headers, ok, status } = isAnswer ? answer.response : NO_RESPONSE;
    const requestId = printable(headers?.get("x-request-id") ?? "") || undefined;
    logger?.debug("answer", { ...about, status, requestId, ms: performance.now() - startedMs });
    if (isAnswer && ok) return answer;

    const waitMs = status !== undefined && !isTransient(status)
      ? undefined
      : retryWaitMs({ tries, headers, random: Math.random(), nowMs: Date.now() });
    if (tries > maxRetries || waitMs === undefined || !limit.hasLeft(waitMs)) {
      throw isAnswer ? await answer.refusal(limit.signal) : answer;
    }
    // Rejects when the connection has failed already. Not awaited: a body of the application's own
    // `fetch` may never settle.
    if (isAnswer) void answer.response.body?.cancel().catch(() => {});
    logger?.warn("retry", { ...about, status, requestId, waitMs });
    await limit.wait(waitMs);
    return undefined;
  }

  /** Returns the answer, or the error in its place. */
  async #send(
    { url, headers, body, call }: SentRequest,
    limit: CallLimit,
  ): Promise<Answer | ServiceConnectionError> {
    const { fetch } = this.#options;
    const content = await limit.guard(body.open());
    // Following a redirect could send the key and the prompt to another host.
    const init: RequestInit = { method: call.method, headers, redirect: "manual", ...content };
    try {
      const response = await limit.guard(fetch(url, { ...init, signal: limit.signal }));
      return new Answer(response, { headers, body: call.body });
    } catch (cause) {
      if (limit.signal.aborted) throw cause;
      if (body.failure !== undefined) throw body.failure;
      const { origin } = new URL(url);
      return new ServiceConnectionError(`Cannot reach the service at ${origin}`, { cause });
    }
  }

  #request(call: TransportCall): SentRequest {
    const { apiBaseUrl, openAIBaseUrl, hasKey } = this.#options;
    if (!hasKey && call.isPublic !== true) throw new MissingAPIKeyError();
    const base = call.base === "openai" ? openAIBaseUrl : apiBaseUrl;
    if (base === undefined) {
      throw new ConfigurationError(
        "Cannot call the catalog: its address does not follow from openAIBaseUrl; pass apiBaseUrl",
      );
    }
    const headers = new Headers(this.#options.headers);
    headers.set("accept", "application/json");
    // The only dialect that this client reads, whatever the key's policy states.
    headers.set(DIALECT_HEADER, "service");
    const { auto = this.#options.auto } = call;
    const isModelCall = call.base === "openai" && call.isModelless !== true;
    const choice = auto && isModelCall ? autoHeader(auto) : undefined;
    if (choice !== undefined) headers.set(AUTO_HEADER, choice);
    const { tags = this.#options.tags } = call;
    const tagged = tags && isModelCall ? tagHeader(tags) : undefined;
    if (tagged !== undefined) headers.set(TAG_HEADER, tagged);
    if (call.requestId !== undefined) headers.set("x-request-id", checkedId(call.requestId));
    const body = call.form ?? jsonBody(call.body, call.method);
    if (body.contentType !== undefined) headers.set("content-type", body.contentType);
    return { url: `${base}${call.path}`, headers, body, call };
  }
}

const NO_RESPONSE = { headers: undefined, ok: false, status: undefined };

async function* eventsOf(
  { answer, limit }: OpenCall,
  { isLast, signal }: TransportCall,
): AsyncGenerator<unknown, void, void> {
  const { response } = answer;
  let reader: EventReader | undefined;
  // Ends a read that ignores the signal.
  const stop = () => void reader?.cancel();
  let isOver = false;
  try {
    limit.signal.throwIfAborted();
    limit.signal.addEventListener("abort", stop);
    if (answer.isJson) {
      // Usually an error: reading it throws that.
      answer.read(await answer.text(limit));
      throw new ServiceConnectionError("The service answered in one piece instead of a stream");
    }
    reader = new EventReader(response.body ?? new Blob().stream());
    for (let texts = await reader.read(); texts !== undefined; texts = await reader.read()) {
      for (const text of texts) {
        if (text === "[DONE]") return;
        // For a caller that ended the call earlier, the received part is no complete answer.
        if (!isOver) signal?.throwIfAborted();
        const event = answer.read(text);
        yield event;
        isOver ||= isLast?.(event) ?? false;
      }
    }
    if (!isOver) throw new ServiceConnectionError("The stream ended before it was complete");
  } catch (error) {
    // A connection that breaks after the last event loses nothing.
    if (!isOver || error instanceof ServiceAPIError) throw limit.explain(error);
  } finally {
    limit.signal.removeEventListener("abort", stop);
    // Not awaited: a body of the application's own `fetch` may never settle.
    stop();
    limit.end();
  }
}

function checkedId(requestId: string): string {
  if (/^[\x21-\x7E]{1,128}$/.test(requestId)) return requestId;
  throw new ConfigurationError(
    "Cannot send the requestId: it has to be 1 to 128 visible ASCII characters",
  );
}
