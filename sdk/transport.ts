/**
 * From a call to the service's answer: addresses, headers, errors, events.
 *
 * @module
 */

import process from "node:process";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { ConfigurationError, MissingAPIKeyError, ServiceAPIError } from "./errors.ts";

/** Where calls go and with what. */
export interface TransportOptions {
  /** Base of model calls, without a slash at the end. */
  readonly openAIBaseUrl: string;
  /** Base of the service, without a slash at the end. */
  readonly apiBaseUrl: string;
  /** Sent as a bearer token; absent: public calls only. */
  readonly apiKey: string | undefined;
  /** What requests are sent with. */
  readonly fetch: typeof fetch;
  /** For the whole request, or the life of a consumed stream; 0 or less: none. */
  readonly timeoutMs: number;
}

/** One call. */
export interface TransportCall {
  /** `GET` has no body. */
  readonly method: "GET" | "POST";
  /** Which base `path` stands under. */
  readonly base: "openai" | "api";
  /** Starts with a slash; a query may follow. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The call works without a key. */
  readonly isPublic?: boolean;
  /** Sent as `X-Request-ID`. */
  readonly requestId?: string | undefined;
  /** Ends the call, and the stream that came of it. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer's JSON with the response that carried it. */
export interface JsonAnswer {
  /** The body. */
  readonly value: unknown;
  /** Its status and headers; the body is read. */
  readonly response: Response;
}

/** Sends calls. */
export class Transport {
  readonly #options: TransportOptions;

  /** Sends nothing yet. */
  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** Calls and reads the JSON. Throws a {@linkcode ServiceAPIError} where it is an error. */
  async json(call: TransportCall): Promise<JsonAnswer> {
    const response = await this.#send(call);
    const value = parse(await response.text(), response);
    throwIfError(value, response);
    return { value, response };
  }

  /** Calls and yields the JSON of each event until `[DONE]`. */
  async *events(call: TransportCall): AsyncGenerator<unknown, void, undefined> {
    const response = await this.#send(call);
    const events = (response.body ?? new Blob().stream())
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const event of events) {
      if (event.data === "[DONE]") return;
      const value = parse(event.data, response);
      throwIfError(value, response);
      yield value;
    }
    throw apiError(undefined, response, "The stream ended before it was complete");
  }

  async #send(call: TransportCall): Promise<Response> {
    const { apiKey, apiBaseUrl, openAIBaseUrl, fetch, timeoutMs } = this.#options;
    if (!apiKey && call.isPublic !== true) throw new MissingAPIKeyError();
    const headers = new Headers({ accept: "application/json" });
    if (apiKey) headers.set("authorization", `Bearer ${apiKey}`);
    if (call.requestId !== undefined) headers.set("x-request-id", call.requestId);
    if (call.body !== undefined) headers.set("content-type", "application/json");
    const signals = [
      ...(call.signal === undefined ? [] : [call.signal]),
      ...(timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : []),
    ];
    const base = call.base === "openai" ? openAIBaseUrl : apiBaseUrl;
    const response = await fetch(`${base}${call.path}`, {
      method: call.method,
      headers,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      // Following one could carry the key and the prompt to another host.
      redirect: "error",
    });
    if (response.ok) return response;
    throw await errorOf(response);
  }
}

/** The request id of an answer: its error's, else its metadata's, else the response header's. */
export function requestIdOf(value: unknown, response: Response): string | undefined {
  const { error, metadata } = (value ?? {}) as Partial<Record<string, { request_id?: unknown }>>;
  const id = error?.request_id ?? metadata?.request_id;
  return typeof id === "string" ? id : response.headers.get("x-request-id") ?? undefined;
}

/** Reads an environment variable; one that may not be read counts as absent. */
export function readEnvironment(name: string): string | undefined {
  try {
    return process.env[name] || undefined;
  } catch {
    return undefined;
  }
}

/** A base address without a slash at its end. Throws where it is no http(s) URL. */
export function baseUrl(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new ConfigurationError(`Cannot use ${option}: "${text}" is no http(s) URL`);
  }
  return text.replace(/\/+$/, "");
}

function parse(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw apiError(text, response, "The service answered with text that is not JSON");
  }
}

function throwIfError(value: unknown, response: Response): void {
  const error = (value as { error?: unknown } | null)?.error;
  if (error !== undefined && error !== null) throw apiError(value, response);
}

async function errorOf(response: Response): Promise<ServiceAPIError> {
  const text = await response.text();
  try {
    return apiError(JSON.parse(text), response);
  } catch {
    // Not JSON: a proxy in between has answered. Its text is all there is to show.
    return apiError(text, response);
  }
}

function apiError(value: unknown, response: Response, message?: string): ServiceAPIError {
  const body = (value as { error?: unknown } | null | undefined)?.error ?? value;
  return new ServiceAPIError(message ?? messageOf(body, response.status), {
    status: response.status,
    headers: response.headers,
    body,
    requestId: requestIdOf(value, response),
  });
}

function messageOf(error: unknown, status: number): string {
  if (typeof error === "string" && error !== "") return error.slice(0, 500);
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === "string" ? message : `The service answered with HTTP ${status}`;
}
