/**
 * The description of a provider kind. Everything that differs from provider to provider is in its
 * descriptor; configuration, detection, routing, the adapters and the documentation read it there.
 *
 * A descriptor is loaded at start, so it imports no provider package: `open` does.
 *
 * @module
 */

import type {
  EmbeddingModelV4,
  ImageModelV4,
  JSONObject,
  JSONValue,
  LanguageModelV4,
} from "@ai-sdk/provider";
import type { Endpoint } from "@svc/sdk/protocol";
import type { OutputLimitField, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { ProviderTraits } from "../../domain/catalog/provider_traits.ts";
import type { Access, Credentials } from "../ai_sdk/credentials.ts";
import type { Lacks } from "../ai_sdk/features.ts";

/** A provider kind. */
export interface ProviderDescriptor {
  /** Value of `kind` in the configuration. */
  readonly kind: string;
  /** @default {none} */
  readonly traits?: ProviderTraits;
  /** The way in which the provider is called. */
  readonly protocol: OpenAIProtocol | TranslatedProtocol | SimulatorProtocol;
  /** Address of the provider, without a slash at its end. @default {the configuration names it} */
  readonly defaultBaseUrl?: string;
  /** Forms of credentials beside a key. @default {none} */
  readonly credentials?: readonly CredentialsForm[];
  /** True when every upstream of the kind needs credentials. @default {false} */
  readonly needsCredentials?: boolean;
  /** True when `outputLimitField` has an effect. @default {false} */
  readonly takesOutputLimitField?: boolean;
  /** True when some of its models draw images. @default {false} */
  readonly draws?: boolean;
  /** True when some of its models embed texts. @default {false} */
  readonly embeds?: boolean;
  /**
   * Provider in `@pydantic/genai-prices`; with `byAddress`, of all upstreams at the default address
   * and of no others.
   * @default {prices are looked up by the address of the upstream}
   */
  readonly priceList?: { readonly id: string; readonly byAddress?: boolean };
  /** Upstreams that are detected from the environment. @default {none} */
  readonly presets?: readonly UpstreamPreset[];
  /**
   * Further environment variables that the provider's package or its users' configurations read.
   * @default {none}
   */
  readonly variables?: readonly string[];
  /**
   * Cost of loading the provider's package: milliseconds, and megabytes that stay in use. Printed by
   * `tests/bench/provider_costs.ts`.
   */
  readonly loadCost?: readonly [ms: number, megabytes: number];
  /** Returns the first problem of a configuration as `field: sentence`. @default {none} */
  problemOf?(upstream: UpstreamSettings): string | undefined;
}

/** An upstream as a configuration file describes it. */
export type UpstreamSettings = Omit<UpstreamConfig, "provider">;

/** Credentials beside a key: keys of an Amazon account, or a Google service account. */
export type CredentialsForm = "aws-keys" | "service-account";

/** An upstream that is configured by setting one environment variable. */
export type UpstreamPreset = KeyPreset | HostPreset;

/** An upstream with a key. */
export interface KeyPreset {
  readonly id: string;
  /** Variable that holds the key. */
  readonly apiKeyEnv: string;
  /** @default {the kind's default address} */
  readonly baseUrl?: string;
  readonly outputLimitField?: OutputLimitField;
}

/** A server on the operator's own network, without a key. */
export interface HostPreset {
  readonly id: string;
  /** Variable that holds a host, a host and port, or an address. */
  readonly hostEnv: string;
  /** Port where the variable names none. */
  readonly port: string;
  readonly maxInFlight: number;
}

/** OpenAI's wire format: requests and answers pass through with as few edits as possible. */
export interface OpenAIProtocol {
  readonly name: "openai";
  /** Field for the output limit. @default {`max_tokens`, beside the caller's} */
  readonly outputLimitField?: OutputLimitField;
  /** True when requests with `cache_control` are refused. @default {false} */
  readonly refusesCacheControl?: boolean;
  /** True when Gemini models may be behind it, which refuse unsigned tool calls. @default {false} */
  readonly mayServeGemini?: boolean;
  /** `encoding_format` of embeddings. @default {numbers} */
  readonly embeddingsEncoding?: "base64";
}

/** The simulator in this process. */
export interface SimulatorProtocol {
  readonly name: "simulator";
}

/**
 * A wire format other than OpenAI's: chat requests are translated to the interface of the Vercel AI
 * SDK's language models, which the provider's package, or the descriptor's file, implements.
 */
export interface TranslatedProtocol {
  readonly name: "translated";
  readonly chat: ChatFormat;
  /** @default {it draws no images} */
  readonly images?: ImageFormat;
  /** @default {it embeds no texts} */
  readonly embeddings?: EmbeddingFormat;
  /** Loads the provider's package, when the first upstream of the kind is called. */
  open(): Promise<OpenProvider>;
  /** Returns the address of an account; `undefined` where settings are missing. */
  baseUrlOf?(
    config: UpstreamConfig,
    credentials: Pick<Credentials, "kind"> | undefined,
  ): string | undefined;
  /** Returns the request for the list of models, or the reason why there is no list. */
  modelList(options: ModelListOptions): ModelList | string;
}

/** The connection that a model is called through. */
export interface Connection {
  readonly baseUrl: string;
  /** Tokens come from service accounts, keys of Amazon accounts from `aws-keys`. */
  readonly access: Access;
  readonly config: UpstreamConfig;
  /** Sends the request of a call, within its limits. */
  readonly fetch: typeof fetch;
}

/** A provider's models, by the provider's own names. */
export interface ProviderModels {
  languageModel(model: string): LanguageModelV4;
  /** Throws where the provider draws no images. */
  imageModel(model: string): ImageModelV4;
  /** Absent where the provider embeds no texts. */
  embeddingModel?(model: string): EmbeddingModelV4;
}

/** Opens a provider on a connection. */
export type OpenProvider = (connection: Connection) => ProviderModels;

/** Inputs of the request for a list of models. */
export interface ModelListOptions {
  readonly access: Access;
  readonly baseUrl: string;
  readonly config: UpstreamConfig;
}

/** The request for a list of models, and the place of the names in the answer. */
export interface ModelList {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Member of the answer that holds the list. */
  readonly member: string;
  /** Member of an entry that holds the name. */
  readonly name: string;
}

/** Differences between providers in the translation of chat requests and answers. */
export interface ChatFormat {
  /** Key of the provider's own options in `providerOptions`. */
  readonly optionsKey: string;
  /** Features that the provider cannot carry. */
  readonly lacks: Lacks;
  /** Media type of streamed answers beside `text/event-stream`, in lower case. @default {none} */
  readonly streamType?: string;
  /** @default {answers are not signed} */
  readonly signatures?: SignatureFormat;
  /** Present when the package is made for Claude's models. @default {absent} */
  readonly claude?: ClaudeFormat;
  /** Provider options for `parallel_tool_calls: false`. @default {`parallelToolCalls: false`} */
  readonly oneCallOptions?: JSONObject;
  /** Provider options that mark the end of cached content. @default {there are no marks} */
  readonly cacheMark?: Record<string, JSONObject>;
  /** True when schemas are sent with their name and with `strict`. @default {false} */
  readonly namesSchemas?: boolean;
  /** True when tool results have a mark for errors. @default {false} */
  readonly marksToolErrors?: boolean;
  /** Media types that tool results can hold; others follow in a user's message. @default {none} */
  readonly resultFiles?: RegExp;
  /** True when the package sends each text of a result as a result. @default {false} */
  readonly hasOneTextResults?: boolean;
  /** Answers whose tool arguments arrive as parsed values, so that large integers are rounded. */
  readonly parsedArguments?: "always" | "unstreamed";
  /**
   * False when the provider sets no low limit by itself, so that requests need no `max_tokens`.
   * @default {true}
   */
  readonly needsOutputLimit?: boolean;
  /** Field that the output limit is moved to after translation. @default {the package's} */
  readonly outputLimitField?: OutputLimitField;
  /** Types of answer parts that repeat other content. @default {none} */
  readonly repeatedParts?: readonly string[];
  /** Returns content of the provider's answer, or of one event, that the package does not read. */
  unreadContent?(answer: JSONObject): UnreadContent;
}

/** Members of a Chat message, or of a delta of one. */
export interface UnreadContent {
  readonly refusal?: string;
  readonly annotations?: JSONValue[];
  readonly reasoning_content?: string;
}

/** Places of a provider's signatures. */
export interface SignatureFormat {
  /** `thinking`: signed blocks of thoughts; `thought`: a signature on a text or a call. */
  readonly style: "thinking" | "thought";
  /** Key under which the package has them. */
  readonly packageKey: string;
  /** Key under which `extra_content` has them. */
  readonly chatKey: string;
}

/** Differences between the packages for Claude's models. */
export interface ClaudeFormat {
  /** Provider option for redacted thoughts. */
  readonly redactedKey: string;
  /** True when `tool_choice: "none"` removes earlier calls from the conversation. */
  readonly dropsCalls: boolean;
}

/** Differences between providers in the translation of image requests. */
export interface ImageFormat {
  /** Maximum number of images in one request. */
  readonly maxImages: number;
  /** Form in which the package sends images, so that it need not convert them. */
  readonly fileData: "bytes" | "base64";
  /** True when masks have OpenAI's meaning. @default {false} */
  readonly takesMasks?: boolean;
  /** True when models take proportions in place of pixels. @default {false} */
  readonly takesRatios?: boolean;
  /** Provider's values of `quality`, by OpenAI's. @default {none} */
  readonly qualities?: Readonly<Record<string, string>>;
  /** Returns the package's names of OpenAI's settings. @default {none} */
  fieldsOf?(endpoint: Endpoint): Readonly<Record<string, string>>;
}

/** Differences between providers in the translation of requests of embeddings. */
export interface EmbeddingFormat {
  /** Key of the provider's own options in `providerOptions`. */
  readonly optionsKey: string;
  /** The package's names of the length of the vectors; each model reads its own. */
  readonly dimensions: readonly string[];
  /** The package's names of further members of a request. @default {none} */
  readonly fields?: Readonly<Record<string, string>>;
}
