/**
 * `POST {baseUrl}/embeddings`: one request, bounded in time and size, without redirects. The answer
 * is validated.
 *
 * Source: https://platform.openai.com/docs/api-reference/embeddings
 *
 * @module
 */

import { z } from "zod";
import type { EmbeddingsConfig, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Embedded, Embedder } from "../../ports/embedder.ts";
import type { UpstreamFailure } from "../../ports/upstream.ts";
import { readTextUpTo, requestOnce } from "../../system/bounded_body.ts";
import { Outgoing } from "../../system/outgoing.ts";
import { retryAfterMsOf } from "../../system/retry_after.ts";
import { parseJson } from "./body.ts";
import { failureOf, readErrorAnswer } from "./failure.ts";
import { openAIProtocolOf } from "../providers/provider_kinds.ts";
import { baseUrlOf } from "./upstream.ts";
import { vectorsOf } from "./vectors.ts";

/** Maximum length of an answer, in bytes. */
export const MAX_EMBEDDINGS_BYTES = 16 * 1024 * 1024;

const answer = z.object({
  data: z.array(z.object({
    index: z.int().min(0),
    embedding: z.union([z.array(z.number()), z.string()]),
  })),
});

/** Dependencies of an embedder. */
export interface EmbedderDeps {
  /** The upstream that has the model. */
  readonly upstream: UpstreamConfig;
  /** Reads an environment variable: the upstream's key. */
  readonly env: (name: string) => string | undefined;
  /** Reads `Retry-After` dates. */
  readonly clock: Clock;
  /** Sends requests. @default {globalThis.fetch} */
  readonly fetch?: typeof fetch | undefined;
}

type Outcome = UpstreamFailure["outcome"];

/** Embeddings of an upstream with OpenAI's wire format. Keeps no connection open. */
export class OpenAICompatibleEmbedder implements Embedder {
  readonly space: string;
  readonly #config: EmbeddingsConfig;
  readonly #deps: EmbedderDeps;
  readonly #url: string;

  /** Opens nothing yet. */
  constructor(config: EmbeddingsConfig, deps: EmbedderDeps) {
    this.space = `${config.model}@${config.dimensions ?? "default"}`;
    this.#config = config;
    this.#deps = deps;
    const url = baseUrlOf(deps.upstream);
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/embeddings`;
    this.#url = url.href;
  }

  async embed(
    texts: readonly string[],
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<Embedded> {
    signal.throwIfAborted();
    const { apiKey, apiKeyEnv } = this.#deps.upstream;
    // Variables that are read from files end with a line break.
    const key = apiKey ?? (apiKeyEnv === undefined ? undefined : this.#deps.env(apiKeyEnv)?.trim());
    // A header can carry nothing else, and `fetch` would throw with the key in its message.
    const isUsable = key === undefined ? apiKeyEnv === undefined : /^[\x21-\x7E]+$/.test(key);
    if (!isUsable) {
      const source = apiKey === undefined ? `the environment variable ${apiKeyEnv}` : "its apiKey";
      return this.#failure("refused_credentials", `there is no usable key in ${source}`);
    }
    const reply = await this.#ask({ body: this.#body(texts), key, timeoutMs }, signal);
    if ("kind" in reply) return reply;
    return this.#read(reply, { count: texts.length, key });
  }

  #body(input: readonly string[]): string {
    const { dimensions, model } = this.#config;
    const { embeddingsEncoding: encoding } = openAIProtocolOf(this.#deps.upstream.kind);
    return JSON.stringify({ model, input, dimensions, encoding_format: encoding });
  }

  async #ask(
    request: { body: string; key: string | undefined; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<{ response: Response; text: string | undefined } | UpstreamFailure> {
    const headers = new Headers({ "content-type": "application/json", accept: "application/json" });
    if (request.key !== undefined) headers.set("authorization", `Bearer ${request.key}`);
    // A redirect would carry the key and the texts to an address that the operator has not
    // configured.
    const init = { method: "POST", headers, body: request.body, redirect: "manual" } as const;
    const { env, upstream: { trustedHost } } = this.#deps;
    using outgoing = new Outgoing({ env, trustedHost });
    const { fetch: send = outgoing.fetch } = this.#deps;
    const reply = await requestOnce(
      (ended) => send(this.#url, { ...init, signal: ended }),
      {
        timeoutMs: request.timeoutMs,
        signal,
        read: (response) => readTextUpTo(response, MAX_EMBEDDINGS_BYTES),
      },
    );
    switch (reply.kind) {
      case "answered":
        return { response: reply.response, text: reply.read };
      case "late":
        return this.#failure("timeout", "it takes too long");
      case "unreachable":
        return this.#failure("connect_failed", "it cannot be reached");
      case "cut":
        return this.#failure("malformed", "its answer broke off", reply.response.status);
    }
  }

  #read(
    { response, text }: { response: Response; text: string | undefined },
    { count, key }: { count: number; key: string | undefined },
  ): Embedded {
    const { headers, status } = response;
    const malformed = (why: string) => this.#failure("malformed", why, status);
    if (status !== 200) {
      const retryAfterMs = retryAfterMsOf(headers, this.#deps.clock.nowMs());
      const error = readErrorAnswer(parseJson(text ?? ""));
      const failure = failureOf(error, {
        status,
        retryAfterMs,
        secrets: key === undefined ? [] : [key],
      });
      return { ...failure, message: this.#message(`it answered ${status}: ${failure.message}`) };
    }
    if (text === undefined) {
      return malformed(`its answer is longer than ${MAX_EMBEDDINGS_BYTES} bytes`);
    }
    const parsed = answer.safeParse(parseJson(text));
    if (!parsed.success) {
      const [{ path = [], message = "" } = {}] = parsed.error.issues;
      return malformed(`its answer cannot be used: ${[...path, message].join(": ")}`);
    }
    const { dimensions } = this.#config;
    const vectors = vectorsOf(parsed.data.data, { count, dimensions });
    return typeof vectors === "string"
      ? malformed(`its answer cannot be used: ${vectors}`)
      : vectors;
  }

  #failure(outcome: Outcome, why: string, status?: number): UpstreamFailure {
    return { kind: "failure", outcome, status, message: this.#message(why) };
  }

  #message(why: string): string {
    const { model, upstream } = this.#config;
    return `Cannot embed with "${model}" of upstream "${upstream}": ${why}`;
  }
}
