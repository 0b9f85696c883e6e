import { isJsonObject } from "@svc/sdk/protocol";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { InvariantError } from "../../domain/invariant.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import {
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamCut,
  type UpstreamFailure,
} from "../../ports/upstream.ts";
import { isProxied, Outgoing } from "../../system/outgoing.ts";
import { PlainAnswer } from "../../system/plain_answer.ts";
import { retryAfterMsOf } from "../../system/retry_after.ts";
import { MAX_ERROR_BYTES, MAX_JSON_BYTES, parseJson, parseObject, readText } from "./body.ts";
import type { OpenAIProtocol } from "../providers/descriptor.ts";
import { openAIProtocolOf, providerOf } from "../providers/provider_kinds.ts";
import { modelListError, modelListRefusal, whyNoList } from "../model_list_error.ts";
import { type EndpointWire, type RequestBody, WIRES } from "./endpoints.ts";
import { callFailure, Exchange, POOL_IDLE_MS, stoppedFailure } from "./exchange.ts";
import { type ErrorContext, failureOf, readError, readErrorAnswer, redact } from "./failure.ts";
import { type Dial, Reachability } from "./reachability.ts";
import { SseEvents } from "./sse_events.ts";

/** Dependencies of an upstream. */
export interface OpenAICompatibleDeps {
  /** Measures time limits, reads `Retry-After` dates. */
  readonly clock: Clock;
  /** Reads an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Sends requests. @default {globalThis.fetch} */
  readonly fetch?: typeof fetch | undefined;
  /** Fetches images by address. @default {none are fetched} */
  readonly fetchImage?: FetchImage | undefined;
  /** Connects to a host, to check that it is reachable. @default {Deno.connect} */
  readonly dial?: Dial | undefined;
}

/** A provider account or server with OpenAI's wire format. */
export class OpenAICompatibleUpstream implements Upstream {
  readonly id: string;
  readonly #config: UpstreamConfig;
  readonly #protocol: OpenAIProtocol;
  readonly #deps: OpenAICompatibleDeps;
  readonly #urlStart: string;
  readonly #urlEnd: string;
  readonly #key: string | undefined;
  /** Credentials, which no message may repeat. */
  readonly #secrets: readonly string[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #outgoing: Outgoing;
  readonly #host: Reachability;

  /** Opens nothing yet. Throws a `TypeError` where the base URL is missing or is no URL. */
  constructor(config: UpstreamConfig, deps: OpenAICompatibleDeps) {
    this.id = config.id;
    this.#config = config;
    this.#protocol = openAIProtocolOf(config.kind);
    this.#deps = deps;
    const url = baseUrlOf(config);
    this.#urlStart = url.origin + url.pathname.replace(/\/+$/, "");
    this.#urlEnd = url.search;
    this.#key = config.apiKey ??
      (config.apiKeyEnv === undefined ? undefined : deps.env(config.apiKeyEnv));
    this.#secrets = this.#key === undefined ? [] : [this.#key];
    this.#headers = this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` };
    const dial = isProxied(deps.env) ? undefined : deps.dial ?? Deno.connect;
    this.#host = new Reachability(url, { dial, clock: deps.clock });
    this.#outgoing = new Outgoing({
      env: deps.env,
      trustedHost: config.trustedHost,
      pool: { poolMaxIdlePerHost: config.maxInFlight, poolIdleTimeout: POOL_IDLE_MS },
    });
  }

  /** Makes one attempt. Returns failures and throws only for bugs. */
  async call(call: UpstreamCall): Promise<UpstreamAnswer> {
    const wire = WIRES[call.endpoint];
    if (this.#key === undefined && this.#config.apiKeyEnv !== undefined) {
      const message = `Environment variable "${this.#config.apiKeyEnv}" is not set`;
      return callFailure("refused_credentials", message);
    }
    const pendingBody = this.#requestBody(wire, call);
    // Only a body with images to fetch is asynchronous.
    const body = pendingBody instanceof Promise ? await pendingBody : pendingBody;
    if (typeof body !== "string" && !(body instanceof FormData)) return body;
    const exchange = this.#exchange(call.signal);
    let response: Reply | undefined;
    let answer: UpstreamAnswer | undefined;
    try {
      const headers: Record<string, string> = {
        ...this.#headers,
        accept: call.stream ? EVENT_STREAM : JSON_TYPE,
        "x-request-id": call.requestId,
      };
      if (call.traceparent !== undefined) headers["traceparent"] = call.traceparent;
      // A form has a content type with its boundary.
      if (typeof body === "string") headers["content-type"] = JSON_TYPE;
      const url = this.#urlOf(wire.path);
      const options = { exchange, wire, stream: call.stream };
      response = typeof body === "string"
        ? await exchange.post(url, { headers, body })
        : await exchange.open(url, { ...INIT, method: "POST", headers, body });
      answer = await this.#read(response, options);
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      answer = this.#brokenOff(exchange, { error, response });
    } finally {
      // A stream ends its exchange later.
      if (answer?.kind === "json") exchange.end();
      else if (answer?.kind !== "stream") exchange.abandon();
    }
    return answer;
  }

  /** Returns the names of the models that `GET /models` lists. */
  async models(signal: AbortSignal): Promise<readonly string[]> {
    const exchange = this.#exchange(signal);
    try {
      const headers = { ...this.#headers, accept: JSON_TYPE };
      const init = { ...INIT, headers };
      const response = await exchange.open(this.#urlOf("/models"), init);
      if (response.status !== 200) throw modelListRefusal(response.status);
      const text = await readText(response, exchange, { maxBytes: MAX_JSON_BYTES });
      const data = parseObject(text ?? "")?.["data"];
      if (!Array.isArray(data)) throw new Error("The answer is no list of models");
      return data.flatMap((entry) =>
        isJsonObject(entry) && typeof entry["id"] === "string" ? [entry["id"]] : []
      );
    } catch (cause) {
      const why = redact(whyNoList(exchange.stopped, cause), this.#secrets);
      throw modelListError(this.id, why, cause);
    } finally {
      exchange.abandon();
    }
  }

  /** Closes idle connections. For use once no call is in flight. */
  close(): void {
    this.#outgoing.close();
  }

  #requestBody(wire: EndpointWire, call: UpstreamCall): MadeBody | Promise<MadeBody> {
    const { outputLimitField } = this.#config;
    const { fetchImage } = this.#deps;
    const protocol = this.#protocol;
    const body = wire.requestBody(call, { protocol, outputLimitField, fetchImage });
    if (!(body instanceof Promise)) return madeBody(body);
    return body.then(madeBody, (error) => {
      if (!call.signal.aborted) throw error;
      return stoppedFailure("cancelled");
    });
  }

  #read(response: Reply, options: ReadOptions): UpstreamAnswer | Promise<UpstreamAnswer> {
    if (response.status !== 200) return this.#readFailure(response, options);
    const type = response.headers.get("content-type")?.toLowerCase() ?? "";
    if (options.stream && type.startsWith(EVENT_STREAM)) return this.#readStream(response, options);
    if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(type)) {
      return callFailure(
        "malformed",
        `The answer is "${redact(type, this.#secrets)}"`,
        response.status,
      );
    }
    return this.#readJson(response, options);
  }

  async #readJson(response: Reply, options: ReadOptions): Promise<UpstreamAnswer> {
    const { status } = response;
    const text = await readText(response, options.exchange, { maxBytes: MAX_JSON_BYTES });
    if (text === undefined) {
      return callFailure("malformed", "The answer is too long or no UTF-8", status);
    }
    const body = parseJson(text);
    // Some providers report errors with status 200.
    const error = readError(body);
    if (error !== undefined) return failureOf(error, this.#errorContext(response));
    if (options.stream) return callFailure("malformed", "A stream was answered with JSON", status);
    if (!isJsonObject(body) || !options.wire.isAnswer(body)) {
      return callFailure("malformed", "The answer is no JSON of the right shape", status);
    }
    return { kind: "json", body: { text, value: body }, usage: options.wire.usageOf(body) };
  }

  async #readStream(response: Reply, { exchange }: ReadOptions): Promise<UpstreamAnswer> {
    const { status } = response;
    const events = this.#eventsOf(response, exchange);
    if (events === undefined) return callFailure("malformed", "The stream is empty", status);
    try {
      const first = await events.next();
      if (first.done) return callFailure("malformed", "The stream has no event", status);
      if (parseObject(first.value[0] ?? "") === undefined) {
        return callFailure("malformed", "The first event is no JSON object", status);
      }
      events.unread(first.value);
      return { kind: "stream", events };
    } catch (error) {
      if (!(error instanceof UpstreamCut)) throw error;
      if (events.reported !== undefined) {
        return failureOf(events.reported, this.#errorContext(response));
      }
      if (exchange.stopped !== undefined) return this.#brokenOff(exchange, { error, response });
      const outcome = error.outcome === "cut" ? "server_error" : error.outcome;
      return callFailure(outcome, error.message, response.status);
    }
  }

  #eventsOf(response: Reply, exchange: Exchange): SseEvents | undefined {
    if (response instanceof PlainAnswer) {
      return SseEvents.ofAnswer(response, exchange, this.#secrets);
    }
    if (response.body === null) return undefined;
    return SseEvents.ofBody(response.body, exchange, this.#secrets);
  }

  async #readFailure(response: Reply, { exchange }: ReadOptions): Promise<UpstreamFailure> {
    let text: string | undefined;
    try {
      text = await readText(response, exchange, { maxBytes: MAX_ERROR_BYTES });
    } catch (error) {
      if (exchange.stopped === "cancelled") throw error;
      // The status is enough where the body does not arrive.
      text = undefined;
    }
    const error = readErrorAnswer(parseJson(text ?? ""));
    return failureOf(error, { ...this.#errorContext(response), text });
  }

  #brokenOff(
    exchange: Exchange,
    { error, response }: { error: unknown; response: ResponseHead | undefined },
  ): UpstreamFailure {
    if (exchange.stopped !== undefined) return stoppedFailure(exchange.stopped, response?.status);
    const message = redact(messageOf(error), this.#secrets);
    return callFailure(response ? "server_error" : "connect_failed", message, response?.status);
  }

  #errorContext(response: ResponseHead): ErrorContext {
    const retryAfterMs = retryAfterMsOf(response.headers, this.#deps.clock.nowMs());
    return { status: response.status, retryAfterMs, secrets: this.#secrets };
  }

  #exchange(signal: AbortSignal): Exchange {
    const { timeouts } = this.#config;
    return new Exchange(signal, {
      fetch: this.#deps.fetch ?? this.#outgoing.fetch,
      plain: this.#deps.fetch === undefined ? this.#outgoing.plain : undefined,
      timeouts,
      clock: this.#deps.clock,
      host: this.#host,
    });
  }

  /**
   * Returns the address of a path. The base may have a query, as gateways with versions in it do.
   */
  #urlOf(path: string): string {
    return this.#urlStart + path + this.#urlEnd;
  }
}

/** The body of a request, or the reason why there is none. */
type MadeBody = string | FormData | UpstreamFailure;

/** The answer to a request: by `fetch`, or over plain HTTP. */
type Reply = Response | PlainAnswer;

/** The part of a response that tells of a failure. */
type ResponseHead = Pick<Reply, "status" | "headers">;

interface ReadOptions {
  readonly exchange: Exchange;
  readonly wire: EndpointWire;
  readonly stream: boolean;
}

const JSON_TYPE = "application/json";
const EVENT_STREAM = "text/event-stream";
// A redirect would carry the prompt, and the key, to an address that the operator has not
// configured.
const INIT = { redirect: "manual" } as const;

function madeBody(body: RequestBody): MadeBody {
  if (typeof body === "string" || body instanceof FormData) return body;
  const { param, problem } = body;
  return { ...callFailure("refused_input", `Cannot accept "${param}": ${problem}`, 400), param };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The platform's message is in the cause: "fetch failed" alone has no information.
  const { cause, message } = error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** Returns the address of an upstream. Throws a `TypeError` where it is missing or is no URL. */
export function baseUrlOf({ id, kind, baseUrl }: UpstreamConfig): URL {
  const url = baseUrl ?? providerOf(kind)?.defaultBaseUrl;
  if (url === undefined) throw new TypeError(`Cannot create upstream "${id}": it has no base URL`);
  return new URL(url);
}
