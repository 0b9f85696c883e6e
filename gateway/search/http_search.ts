/**
 * One request to a search server over HTTP: bounded in time and size, without repetition or
 * redirects. Failures are returned as values.
 *
 * @module
 */

import type { z } from "zod";
import type { Clock } from "../ports/clock.ts";
import type {
  ApproximateLocation,
  WebQuery,
  WebSearch,
  WebSearchAnswer,
  WebSearchFailure,
} from "../ports/web_search.ts";
import { readTextUpTo, requestOnce } from "../system/bounded_body.ts";
import { Outgoing } from "../system/outgoing.ts";
import { retryAfterMsOf } from "../system/retry_after.ts";
import { parseJson } from "../upstreams/openai_compatible/body.ts";
import { redact } from "../upstreams/openai_compatible/failure.ts";
import { type BoundQuery, boundQuery, unusedOf, usableOf } from "./bound_query.ts";
import { type FoundPage, resultsOf } from "./results.ts";

/** Maximum time of one search, in milliseconds. */
export const SEARCH_TIMEOUT_MS = 15_000;
/** Maximum length of an answer, in bytes. */
export const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const MAX_ERROR_CHARS = 200;
const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** A request. */
export interface SearchRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Body of a `POST`, as JSON. @default {none, with `GET`} */
  readonly body?: unknown;
}

/** An answer that is no success. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty where it is no text or too long. */
  readonly text: string;
}

/** Differences between search servers. */
export interface SearchApi {
  /** Name in logs. */
  readonly id: string;
  /** The operator's key; `undefined` where the server takes none. */
  readonly key?: { readonly value: string; readonly source: string } | undefined;
  /** True when the server takes the user's location. */
  readonly takesPlaces: boolean;
  request(query: BoundQuery, key: string): SearchRequest;
  /** Reads the entries of an answer. */
  readonly answer: z.ZodType<readonly unknown[]>;
  /** Reads one entry. */
  readonly page: z.ZodType<FoundPage>;
  /** Returns the meaning of statuses that differs from the usual one. */
  refusal?(answer: ErrorAnswer): Partial<Omit<WebSearchFailure, "kind">>;
}

/** Dependencies of an HTTP search. */
export interface HttpSearchDeps {
  /** Reads `Retry-After` dates. */
  readonly clock: Clock;
  /** Reads environment variables: keys, and the variables of a proxy. */
  readonly env: (name: string) => string | undefined;
  /** Sends requests. @default {globalThis.fetch} */
  readonly fetch?: typeof fetch | undefined;
  /** @default {SEARCH_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
}

type Outcome = WebSearchFailure["outcome"];
type Received = ErrorAnswer & { readonly isJson: boolean };

/** A back end over HTTP. */
export class HttpWebSearch implements WebSearch {
  readonly id: string;
  readonly #api: SearchApi;
  readonly #deps: HttpSearchDeps;
  readonly #secrets: readonly string[];

  /** Opens nothing yet. */
  constructor(api: SearchApi, deps: HttpSearchDeps) {
    this.id = api.id;
    this.#api = api;
    this.#deps = deps;
    this.#secrets = api.key === undefined ? [] : [api.key.value];
  }

  unusedOf(place: ApproximateLocation): readonly (keyof ApproximateLocation)[] {
    return unusedOf(place, this.#api.takesPlaces ? usableOf(place) : {});
  }

  async search(query: WebQuery, options: { signal: AbortSignal }): Promise<WebSearchAnswer> {
    options.signal.throwIfAborted();
    const bound = boundQuery(query);
    if (typeof bound === "string") return this.#failure("refused_input", bound);
    const { key } = this.#api;
    // A header can carry nothing else, and `fetch` would throw with the key in its message.
    if (key !== undefined && !/^[\x21-\x7E]+$/.test(key.value)) {
      return this.#failure("refused_credentials", `there is no usable key in ${key.source}`);
    }
    const received = await this.#ask(this.#api.request(bound, key?.value ?? ""), options.signal);
    if ("kind" in received) return received;
    return received.status === 200 ? this.#results(received, bound) : this.#refusal(received);
  }

  async #ask(request: SearchRequest, signal: AbortSignal): Promise<Received | WebSearchFailure> {
    // A new connection for each search: on an idle connection that has died, `fetch` would send the
    // request again, and the operator would pay twice.
    using outgoing = new Outgoing({ env: this.#deps.env, pool: { poolMaxIdlePerHost: 0 } });
    const init = initOf(request);
    const { fetch: send = outgoing.fetch, timeoutMs = SEARCH_TIMEOUT_MS } = this.#deps;
    const reply = await requestOnce(
      (ended) => send(request.url, { ...init, signal: ended }),
      { timeoutMs, signal, read: receive },
    );
    switch (reply.kind) {
      case "answered":
        return reply.read;
      case "late":
        return this.#failure("timeout", "the server takes too long");
      case "unreachable":
        return this.#failure("connect_failed", "the server cannot be reached");
      case "cut":
        return this.#failure("cut", "the answer broke off", reply.response);
    }
  }

  #results(received: Received, query: BoundQuery): WebSearchAnswer {
    if (!received.isJson) return this.#failure("malformed", "the answer is no JSON", received);
    if (received.text === "") {
      const limit = `the answer is empty or longer than ${MAX_ANSWER_BYTES} bytes`;
      return this.#failure("malformed", limit, received);
    }
    const answer = this.#api.answer.safeParse(parseJson(received.text));
    if (!answer.success) {
      const [{ path = [], message = "" } = {}] = answer.error.issues;
      const what = [...path, message].join(": ");
      return this.#failure("malformed", `the answer cannot be used: ${what}`, received);
    }
    const results = resultsOf(answer.data, query, (entry) => this.#api.page.safeParse(entry).data);
    return { kind: "results", results };
  }

  #refusal(received: Received): WebSearchFailure {
    const { headers, status, text } = received;
    const words = received.isJson ? redact(text, this.#secrets).slice(0, MAX_ERROR_CHARS) : "";
    const message = `the server answered ${status}${words === "" ? "" : `: ${words}`}`;
    const own = this.#api.refusal?.(received) ?? {};
    return {
      ...this.#failure(own.outcome ?? outcomeOf(status), own.message ?? message, received),
      retryAfterMs: retryAfterMsOf(headers, this.#deps.clock.nowMs()) ?? own.retryAfterMs,
    };
  }

  #failure(outcome: Outcome, why: string, answer?: { status: number }): WebSearchFailure {
    const message = `Cannot search with "${this.id}": ${why}`;
    return { kind: "failure", outcome, status: answer?.status, message };
  }
}

function initOf({ headers = {}, body }: SearchRequest): RequestInit {
  const sent = new Headers({ accept: "application/json", "user-agent": "svc-gateway" });
  if (body !== undefined) sent.set("content-type", "application/json");
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) sent.set(name, value);
  }
  return {
    method: body === undefined ? "GET" : "POST",
    headers: sent,
    body: body === undefined ? null : JSON.stringify(body),
    // A redirect would carry the key to an address that the operator has not configured.
    redirect: "manual",
  };
}

async function receive(response: Response): Promise<Received> {
  const { headers, status } = response;
  const isJson = JSON_TYPES.test(headers.get("content-type") ?? "");
  const text = isJson ? await readTextUpTo(response, MAX_ANSWER_BYTES) : undefined;
  return { status, headers, isJson, text: text ?? "" };
}

function outcomeOf(status: number): Outcome {
  switch (status) {
    case 400:
    case 414:
    case 422:
      return "refused_input";
    case 401:
    // The operator's account is empty.
    case 402:
    case 403:
      return "refused_credentials";
    case 408:
    case 504:
      return "timeout";
    case 429:
      return "rate_limited";
    default:
      return "server_error";
  }
}
