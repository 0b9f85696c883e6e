import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { InvariantError } from "../../domain/invariant.ts";
import {
  ModelListError,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamCall,
  UpstreamCut,
  type UpstreamFailure,
} from "../../ports/upstream.ts";
import { readChatUsage } from "../../wire/chat/usage.ts";
import {
  callFailure,
  Exchange,
  POOL_IDLE_MS,
  stoppedFailure,
} from "../openai_compatible/exchange.ts";
import { failureOf, redact } from "../openai_compatible/failure.ts";
import { Reachability } from "../openai_compatible/reachability.ts";
import type { OpenAICompatibleDeps } from "../openai_compatible/upstream.ts";
import { isProxied, Outgoing } from "../../system/outgoing.ts";
import { modelListError, whyNoList } from "../model_list_error.ts";
import type {
  OpenProvider,
  ProviderDescriptor,
  ProviderModels,
  TranslatedProtocol,
} from "../providers/descriptor.ts";
import { AccessSource } from "./access.ts";
import { accountOf } from "./account.ts";
import { AnswerEvents } from "./answer_events.ts";
import { callOptionsOf, outputLimitOf } from "./call_options.ts";
import { type AnswerOptions, chatAnswer } from "./chat_answer.ts";
import { ChunkWriter, isMalformed } from "./chunk_writer.ts";
import { embedTexts } from "./embeddings.ts";
import { fetchImages } from "./fetch_images.ts";
import { type Access, AccessError, secretsOf } from "./credentials.ts";
import { noteUnenforcedSchema } from "./unenforced_schema.ts";
import { drawImages } from "./images.ts";
import { listModels } from "./model_list.ts";
import { Notes } from "./notes.ts";
import { withinLimit, withLimitField } from "./output_limit.ts";
import { withinSignedLimit } from "./thinking_limit.ts";
import { Transport } from "./transport.ts";

/** Dependencies of an upstream. */
export interface AiSdkDeps extends OpenAICompatibleDeps {
  /** Reads the files that credentials are in. @default {Deno.readTextFile} */
  readonly readFile?: ((path: string) => Promise<string>) | undefined;
  /** Descriptor of the upstream's kind. @default {that of the registry} */
  readonly provider?: ProviderDescriptor | undefined;
}

/** A provider account that is called through its Vercel AI SDK package. */
export class AiSdkUpstream implements Upstream {
  readonly id: string;
  readonly #config: UpstreamConfig;
  readonly #protocol: TranslatedProtocol;
  readonly #deps: AiSdkDeps;
  readonly #baseUrl: string;
  readonly #access: AccessSource;
  readonly #fetch: typeof fetch;
  readonly #outgoing: Outgoing;
  readonly #host: Reachability;
  #open: Promise<OpenProvider> | undefined;

  /** Opens and loads nothing yet. Throws a `TypeError` where the configuration is incomplete. */
  constructor(config: UpstreamConfig, deps: AiSdkDeps) {
    const { id, timeouts } = config;
    const { clock, env, readFile = Deno.readTextFile } = deps;
    const { baseUrl, credentials, protocol } = accountOf(config, { env, readFile }, deps.provider);
    this.id = id;
    this.#config = config;
    this.#protocol = protocol;
    this.#deps = deps;
    this.#baseUrl = baseUrl;
    const dial = isProxied(env) ? undefined : deps.dial ?? Deno.connect;
    this.#host = new Reachability(new URL(baseUrl), { dial, clock });
    this.#outgoing = new Outgoing({
      env,
      trustedHost: config.trustedHost,
      pool: { poolMaxIdlePerHost: config.maxInFlight, poolIdleTimeout: POOL_IDLE_MS },
    });
    this.#fetch = deps.fetch ?? this.#outgoing.fetch;
    this.#access = new AccessSource(credentials, { clock, dial, fetch: this.#fetch, timeouts });
  }

  /** Makes one attempt. Returns failures and throws only for bugs. */
  async call(call: UpstreamCall): Promise<UpstreamAnswer> {
    const { endpoint } = call;
    const { chat, embeddings, images } = this.#protocol;
    if (endpoint === "chat") return await this.#chat(call);
    if (endpoint === "embeddings" && embeddings !== undefined) {
      return await embedTexts(call, {
        format: embeddings,
        send: (signal, ask) =>
          this.#send({ ...call, signal }, ({ open, transport }) => ask(open(transport.fetch))),
      });
    }
    const draws = endpoint === "images.generations" || endpoint === "images.edits";
    if (!draws || images === undefined) {
      return callFailure("server_error", `Cannot call "${endpoint}" of upstream "${this.id}"`);
    }
    return await drawImages(call, {
      format: images,
      chat,
      fetchImage: this.#deps.fetchImage,
      createdSeconds: this.#nowSeconds(),
      send: (signal, draw) =>
        this.#send(
          { ...call, signal },
          ({ open, transport }) => draw({ open, fetch: transport.fetch }),
        ),
    });
  }

  async #chat(call: UpstreamCall): Promise<UpstreamAnswer> {
    const notes = new Notes(this.#protocol.chat);
    const request = callOptionsOf(call, notes);
    if (notes.refusal === undefined && notes.images.length > 0) {
      try {
        await fetchImages(notes, this.#deps.fetchImage, call.signal);
      } catch (error) {
        if (!call.signal.aborted) throw error;
        return stoppedFailure("cancelled");
      }
    }
    if (notes.refusal !== undefined) {
      return { kind: "failure", outcome: "refused_input", ...notes.refusal };
    }
    const options = this.#answerOptions(call, notes);
    return await this.#send(call, async ({ exchange, isSigned, open, transport }) => {
      const limitTokens = this.#thinkingLimit(call);
      const limited = isSigned && limitTokens !== undefined
        ? await withinSignedLimit(
          request,
          limitTokens,
          (rehearsal) => open(rehearsal).languageModel(call.model).doGenerate(request),
        )
        : request;
      if (limited.reasoning !== request.reasoning) noRoomToThink(notes);
      const model = open(transport.fetch).languageModel(call.model);
      const attempt = { call, exchange, options, request: limited, transport };
      return call.stream ? await stream(model, attempt) : await generate(model, attempt);
    }, notes);
  }

  /** Sends one request to the provider and classifies its failure. */
  async #send<Answer extends { readonly kind: string }>(
    call: UpstreamCall,
    ask: (sending: Sending) => Promise<Answer | UpstreamFailure>,
    notes?: Notes,
  ): Promise<Answer | UpstreamFailure> {
    let access: Access;
    try {
      access = await this.#access.get(call.signal);
    } catch (error) {
      return noAccess(error, call.signal);
    }
    const exchange = this.#exchange(call.signal);
    const transport = this.#transport(exchange, { call, access, notes });
    let answer: Answer | UpstreamFailure | undefined;
    try {
      const openProvider = await this.#load();
      const open = (fetch: typeof globalThis.fetch) =>
        openProvider({ baseUrl: this.#baseUrl, access, config: this.#config, fetch });
      answer = await ask({ exchange, isSigned: access.kind === "aws", open, transport });
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      answer = this.#brokenOff(error, { exchange, transport, secrets: secretsOf(access) });
    } finally {
      if (transport.status === 401) this.#access.refused(access);
      if (answer === undefined || answer.kind === "failure") exchange.abandon();
      // A stream ends its exchange later.
      else if (answer.kind !== "stream") exchange.end();
    }
    if (!isFailure(answer)) return answer;
    // The code that reads answers does not know the secrets.
    return { ...answer, message: redact(answer.message, secretsOf(access)) };
  }

  /** Returns the names of the models that the provider lists. Throws where it has no list. */
  async models(signal: AbortSignal): Promise<readonly string[]> {
    const exchange = this.#exchange(signal);
    let access: Access | undefined;
    try {
      access = await this.#access.get(signal);
      const list = { access, baseUrl: this.#baseUrl, config: this.#config };
      return await listModels(exchange, this.#protocol.modelList(list));
    } catch (cause) {
      const why = redact(whyNoList(exchange.stopped, cause), access && secretsOf(access));
      const refused = cause instanceof AccessError && new ModelListError("refused", why);
      throw modelListError(this.id, why, refused || cause);
    } finally {
      exchange.abandon();
    }
  }

  /** Closes idle connections. For use once no call is in flight. */
  close(): void {
    this.#access.close();
    this.#outgoing.close();
  }

  #load(): Promise<OpenProvider> {
    const loading = this.#open ??= this.#protocol.open();
    loading.catch(() => this.#open = undefined);
    return loading;
  }

  #transport(
    exchange: Exchange,
    { call, access, notes }: { call: UpstreamCall; access: Access; notes: Notes | undefined },
  ): Transport {
    const limitTokens = access.kind === "aws" ? undefined : this.#thinkingLimit(call);
    const onNoRoom = () => notes && noRoomToThink(notes);
    const format = call.body.value["response_format"];
    return new Transport({
      exchange,
      clock: this.#deps.clock,
      stream: call.stream,
      streamType: this.#protocol.chat.streamType,
      secrets: secretsOf(access),
      traceparent: call.traceparent,
      editBody: (body) => {
        if (notes !== undefined) noteUnenforcedSchema(format, { body, notes });
        const { outputLimitField: field } = this.#protocol.chat;
        if (field !== undefined) {
          return withLimitField(body, this.#config.outputLimitField ?? field);
        }
        return limitTokens === undefined ? body : withinLimit(body, limitTokens, { onNoRoom });
      },
    });
  }

  /** Returns the limit that thoughts and answer share, where the package would add them up. */
  #thinkingLimit(call: UpstreamCall): number | undefined {
    const thinks = call.body.value["reasoning_effort"] != null;
    const { chat } = this.#protocol;
    return thinks && chat.claude !== undefined ? outputLimitOf(call, chat) : undefined;
  }

  #exchange(signal: AbortSignal): Exchange {
    return new Exchange(signal, {
      fetch: this.#fetch,
      timeouts: this.#config.timeouts,
      clock: this.#deps.clock,
      host: this.#host,
    });
  }

  #answerOptions({ model, requestId }: UpstreamCall, { warnings }: Notes): AnswerOptions {
    const createdSeconds = this.#nowSeconds();
    const { chat: format } = this.#protocol;
    return { format, id: `chatcmpl-${requestId}`, createdSeconds, model, warnings };
  }

  #nowSeconds(): number {
    return Math.floor(this.#deps.clock.nowMs() / 1000);
  }

  #brokenOff(
    error: unknown,
    { exchange, transport, secrets }: {
      exchange: Exchange;
      transport: Transport;
      secrets: readonly string[];
    },
  ): UpstreamFailure {
    if (transport.failure !== undefined) return transport.failure;
    const { fault, sent, status } = transport;
    if (exchange.stopped !== undefined) return stoppedFailure(exchange.stopped, status);
    const cut = fault ?? (error instanceof UpstreamCut ? error : undefined);
    if (cut !== undefined) {
      const outcome = cut.outcome === "cut" ? "server_error" : cut.outcome;
      return { ...callFailure(outcome, cut.message, status), words: cut.words };
    }
    const message = redact(error instanceof Error ? error.message : String(error), secrets);
    if (!sent) {
      // Packages refuse unsupported fields before they send anything.
      const isRefusal = error instanceof Error && error.name.startsWith("AI_");
      return callFailure(isRefusal ? "refused_input" : "server_error", message);
    }
    if (status === undefined) return callFailure("connect_failed", message);
    const reported = statusOf(error);
    if (reported !== undefined && reported !== 200) {
      return failureOf({ message }, { status: reported, secrets });
    }
    return callFailure("malformed", "The answer is no JSON of the right shape", status);
  }
}

function isFailure(answer: { readonly kind: string }): answer is UpstreamFailure {
  return answer.kind === "failure";
}

/** A request in flight. */
interface Sending {
  readonly exchange: Exchange;
  /** True when the body cannot change after the package has written it. */
  readonly isSigned: boolean;
  /** Opens the provider on a `fetch`. */
  readonly open: (fetch: typeof globalThis.fetch) => ProviderModels;
  readonly transport: Transport;
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
  // Nearly every member is optional, so any object would pass for an answer; but every answer has a
  // finish reason.
  if (result.finishReason.raw === undefined) {
    return callFailure("malformed", "The answer has no finish reason", transport.status);
  }
  const value = chatAnswer(result, options);
  if (value === undefined) {
    return callFailure("server_error", "The provider ended with an error", transport.status);
  }
  const body = { text: JSON.stringify(value), value };
  return { kind: "json", body, usage: readChatUsage(value.usage) };
}

async function stream(model: LanguageModelV4, attempt: Attempt): Promise<UpstreamAnswer> {
  const { exchange, options, request, transport } = attempt;
  const includeRawChunks = options.format.unreadContent !== undefined;
  const { stream: parts } = await model.doStream({ ...request, includeRawChunks });
  const writer = new ChunkWriter(options);
  const events = new AnswerEvents(parts, { writer, transport, exchange });
  const first = await events.next();
  if (first.done) return callFailure("malformed", "The stream has no event", transport.status);
  events.unread(first.value);
  return { kind: "stream", events };
}

/** Classifies missing access, which only the operator can correct. */
function noAccess(error: unknown, signal: AbortSignal): UpstreamFailure {
  if (error instanceof AccessError) return callFailure("refused_credentials", error.message);
  if (!signal.aborted) throw error;
  return stoppedFailure("cancelled");
}

/** Notes that the answer comes without thoughts. */
function noRoomToThink(notes: Notes): void {
  notes.allows("effort_room", "reasoning_effort");
}

/** Returns the HTTP status that a package read from an error event. */
function statusOf(error: unknown): number | undefined {
  if (isMalformed(error) || typeof error !== "object" || error === null) return undefined;
  const status = "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}
