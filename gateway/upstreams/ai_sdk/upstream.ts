import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { NativeKind, UpstreamConfig } from "../../domain/catalog.ts";
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
import { readChatUsage } from "../../wire/usage.ts";
import { Exchange, POOL_IDLE_MS, type Stop } from "../openai_compatible/exchange.ts";
import { failureOf, redact } from "../openai_compatible/failure.ts";
import { type Dial, Reachability } from "../openai_compatible/reachability.ts";
import { AnswerEvents } from "./answer_events.ts";
import { callOptionsOf, outputLimitOf } from "./call_options.ts";
import { type AnswerOptions, chatAnswer } from "./chat_answer.ts";
import { ChunkWriter, isMalformed } from "./chunk_writer.ts";
import { fetchImages } from "./fetch_images.ts";
import { listModels } from "./model_list.ts";
import { Notes } from "./notes.ts";
import { withinLimit } from "./output_limit.ts";
import { baseUrlOf, isNativeKind, type OpenModel, PROVIDERS } from "./providers.ts";
import { Transport } from "./transport.ts";

/** What such an upstream needs of its surroundings. */
export interface AiSdkDeps {
  /** Measures time limits, reads `Retry-After` dates. */
  readonly clock: Clock;
  /** Looks an environment variable up. */
  readonly env: (name: string) => string | undefined;
  /** Sends requests. @default {globalThis.fetch} */
  readonly fetch?: typeof fetch | undefined;
  /** Fetches what callers point to, for providers that take no address; absent: nothing is. */
  readonly fetchImage?: FetchImage | undefined;
  /** Asks whether a host is there. @default {Deno.connect} */
  readonly dial?: Dial | undefined;
}

const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/** A provider account that is spoken to through its Vercel AI SDK package. */
export class AiSdkUpstream implements Upstream {
  readonly id: string;
  readonly #config: UpstreamConfig;
  readonly #kind: NativeKind;
  readonly #deps: AiSdkDeps;
  readonly #baseUrl: string;
  readonly #key: string | undefined;
  readonly #client: Deno.HttpClient;
  readonly #host: Reachability;
  #open: Promise<OpenModel> | undefined;

  /** Opens and loads nothing yet. Throws a `TypeError` where the configuration says too little. */
  constructor(config: UpstreamConfig, deps: AiSdkDeps) {
    const { apiKey, apiKeyEnv, id, kind } = config;
    const key = apiKey ?? (apiKeyEnv === undefined ? undefined : deps.env(apiKeyEnv));
    const baseUrl = baseUrlOf(config, key);
    if (!isNativeKind(kind) || baseUrl === undefined) {
      throw new TypeError(`Cannot create upstream "${id}": its address is not known`);
    }
    this.id = id;
    this.#config = config;
    this.#kind = kind;
    this.#deps = deps;
    this.#baseUrl = baseUrl;
    this.#key = key;
    const proxied = PROXY_VARIABLES.some((name) =>
      Boolean(deps.env(name) ?? deps.env(name.toLowerCase()))
    );
    const dial = proxied ? undefined : deps.dial ?? Deno.connect;
    this.#host = new Reachability(new URL(baseUrl), { dial, clock: deps.clock });
    this.#client = Deno.createHttpClient({
      poolMaxIdlePerHost: config.maxInFlight,
      poolIdleTimeout: POOL_IDLE_MS,
    });
  }

  /** One attempt: never throws for what the other side does. */
  async call(call: UpstreamCall): Promise<UpstreamAnswer> {
    if (call.endpoint !== "chat") {
      return failure("server_error", `Cannot call "${call.endpoint}" of upstream "${this.id}"`);
    }
    const key = this.#key;
    if (key === undefined) {
      const variable = this.#config.apiKeyEnv;
      const message = variable === undefined
        ? `Upstream "${this.id}" has no key`
        : `Environment variable "${variable}" is not set`;
      return failure("refused_credentials", message);
    }
    const notes = new Notes(this.#kind);
    const request = callOptionsOf(call, notes);
    if (notes.refusal === undefined && notes.images.length > 0) {
      try {
        await fetchImages(notes, this.#deps.fetchImage, call.signal);
      } catch (error) {
        if (!call.signal.aborted) throw error;
        return failure("cancelled", STOP_MESSAGES.cancelled);
      }
    }
    if (notes.refusal !== undefined) {
      return { kind: "failure", outcome: "refused_input", ...notes.refusal };
    }
    const exchange = this.#exchange(call.signal);
    const transport = this.#transport(exchange, { call, key });
    let answer: UpstreamAnswer | undefined;
    try {
      const { fetch } = transport;
      const open = await this.#load();
      const model = open(call.model, {
        baseUrl: this.#baseUrl,
        key,
        config: this.#config,
        fetch,
      });
      const options = this.#answerOptions(call, notes);
      const attempt = { call, exchange, options, request, transport };
      answer = call.stream ? await stream(model, attempt) : await generate(model, attempt);
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      answer = this.#brokenOff(error, { exchange, transport });
    } finally {
      // A stream ends its exchange by itself, later.
      if (answer?.kind === "json") exchange.end();
      else if (answer?.kind !== "stream") exchange.abandon();
    }
    return answer;
  }

  /** Names of the models that the provider lists; throws where it has no list. */
  async models(signal: AbortSignal): Promise<readonly string[]> {
    const exchange = this.#exchange(signal);
    try {
      return await listModels(exchange, {
        baseUrl: this.#baseUrl,
        client: this.#client,
        key: this.#key ?? "",
        kind: this.#kind,
      });
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const why = exchange.stopped ?? redact(message, this.#key);
      throw new Error(`Cannot list the models of upstream "${this.id}": ${why}`, { cause });
    } finally {
      exchange.abandon();
    }
  }

  /** Closes idle connections; to be called once no call is under way. */
  close(): void {
    this.#client.close();
  }

  #load(): Promise<OpenModel> {
    const loading = this.#open ??= PROVIDERS[this.#kind]();
    loading.catch(() => this.#open = undefined);
    return loading;
  }

  #transport(exchange: Exchange, { call, key }: { call: UpstreamCall; key: string }): Transport {
    const limitTokens = outputLimitOf(call);
    const thinks = call.body.value["reasoning_effort"] != null;
    const claude = this.#kind === "anthropic" || this.#kind === "amazon-bedrock";
    return new Transport({
      exchange,
      client: this.#client,
      clock: this.#deps.clock,
      stream: call.stream,
      secret: key,
      editBody: limitTokens !== undefined && thinks && claude
        ? (body) => withinLimit(body, limitTokens)
        : undefined,
    });
  }

  #exchange(signal: AbortSignal): Exchange {
    return new Exchange(signal, {
      fetch: this.#deps.fetch ?? fetch,
      timeouts: this.#config.timeouts,
      clock: this.#deps.clock,
      host: this.#host,
    });
  }

  #answerOptions({ model, requestId }: UpstreamCall, { warnings }: Notes): AnswerOptions {
    const createdSeconds = Math.floor(this.#deps.clock.nowMs() / 1000);
    return { kind: this.#kind, id: `chatcmpl-${requestId}`, createdSeconds, model, warnings };
  }

  #brokenOff(
    error: unknown,
    { exchange, transport }: { exchange: Exchange; transport: Transport },
  ): UpstreamFailure {
    if (transport.failure !== undefined) return transport.failure;
    const { fault, sent, status } = transport;
    if (exchange.stopped !== undefined) {
      return failure(exchange.stopped, STOP_MESSAGES[exchange.stopped], status);
    }
    const cut = fault ?? (error instanceof UpstreamCut ? error : undefined);
    if (cut !== undefined) {
      return failure(cut.outcome === "cut" ? "server_error" : cut.outcome, cut.message, status);
    }
    const message = redact(error instanceof Error ? error.message : String(error), this.#key);
    if (!sent) {
      // Packages refuse what their provider has no place for before they send anything.
      const isRefusal = error instanceof Error && error.name.startsWith("AI_");
      return failure(isRefusal ? "refused_input" : "server_error", message);
    }
    if (status === undefined) return failure("connect_failed", message);
    const reported = statusOf(error);
    if (reported !== undefined && reported !== 200) {
      return failureOf({ message }, { status: reported, secret: this.#key });
    }
    return failure("malformed", "The answer is no JSON of the right shape", status);
  }
}

interface Attempt {
  readonly call: UpstreamCall;
  readonly exchange: Exchange;
  readonly options: AnswerOptions;
  readonly request: ReturnType<typeof callOptionsOf>;
  readonly transport: Transport;
}

async function generate(model: LanguageModelV4, attempt: Attempt): Promise<UpstreamAnswer> {
  const { options, request, transport } = attempt;
  const result = await model.doGenerate(request);
  // Where nearly everything is optional any object passes for an answer; every answer has an end.
  if (result.finishReason.raw === undefined) {
    return failure("malformed", "The answer has no finish reason", transport.status);
  }
  const value = chatAnswer(result, options);
  if (value === undefined) {
    return failure("server_error", "The provider ended with an error", transport.status);
  }
  const body = { text: JSON.stringify(value), value };
  return { kind: "json", body, usage: readChatUsage(value.usage) };
}

async function stream(model: LanguageModelV4, attempt: Attempt): Promise<UpstreamAnswer> {
  const { exchange, options, request, transport } = attempt;
  const { stream: parts } = await model.doStream(request);
  const writer = new ChunkWriter(options);
  const events = new AnswerEvents(parts, { writer, transport, exchange });
  const first = await events.next();
  if (first.done) return failure("malformed", "The stream has no event", transport.status);
  events.unread(first.value);
  return { kind: "stream", events };
}

const STOP_MESSAGES: Readonly<Record<Stop, string>> = {
  cancelled: "The call was cancelled",
  timeout: "The upstream took too long",
  connect_failed: "The upstream takes no connection",
};

/** The HTTP status that a package read out of an error event. */
function statusOf(error: unknown): number | undefined {
  if (isMalformed(error) || typeof error !== "object" || error === null) return undefined;
  const status = "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

function failure(
  outcome: UpstreamFailure["outcome"],
  message: string,
  status?: number,
): UpstreamFailure {
  return { kind: "failure", outcome, status, message };
}
