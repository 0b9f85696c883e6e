/**
 * The catalog: upstreams, models and tiers as one version. KV holds it; a request keeps the version
 * it started with.
 *
 * @module
 */

import type { Endpoint, Locale } from "@svc/sdk/protocol";
import type { Price } from "../ledger/pricing.ts";
import type { ScoringWeights } from "../routing/score.ts";
import type { ServiceLimits } from "../limits/service_limits.ts";

/** A text in the languages of the catalog. */
export type Localized = Readonly<Record<Locale, string>>;

/** Names under which Chat Completions servers take the output limit. */
export const OUTPUT_LIMIT_FIELDS = ["max_completion_tokens", "max_tokens"] as const;

/** One of them. */
export type OutputLimitField = typeof OUTPUT_LIMIT_FIELDS[number];

/** Time limits of one attempt at an upstream, in milliseconds. */
export interface UpstreamTimeouts {
  /** To a TCP connection. @default {5000} */
  readonly connectMs: number;
  /** From sending the request to the first byte of the answer's body. @default {300000} */
  readonly firstByteMs: number;
  /** Between two reads of the answer's body. @default {60000} */
  readonly idleMs: number;
}

/** One provider account or server. */
export interface UpstreamConfig {
  readonly id: string;
  /** Kind of the provider: a name of the registry in `upstreams/providers`. */
  readonly kind: string;
  /** Name shown to customers and matched by policies. @default {id} */
  readonly provider: string;
  readonly baseUrl?: string | undefined;
  /** Name of the environment variable that holds the provider's key. */
  readonly apiKeyEnv?: string | undefined;
  /** The key itself, for servers that take any. Never shown again. */
  readonly apiKey?: string | undefined;
  /** Name of the variable that holds the path of a service account's JSON key: of `google-vertex`. */
  readonly credentialsFileEnv?: string | undefined;
  /** Name of the variable that holds an access key's id: of `amazon-bedrock`, to sign requests. */
  readonly accessKeyIdEnv?: string | undefined;
  /** Name of the variable that holds that key's secret. */
  readonly secretAccessKeyEnv?: string | undefined;
  /** Name of the variable that holds the token of temporary keys. */
  readonly sessionTokenEnv?: string | undefined;
  /** Where it runs: of `amazon-bedrock` and `google-vertex`. */
  readonly region?: string | undefined;
  /** Project that pays: of `google-vertex`. */
  readonly project?: string | undefined;
  /** First part of the host name: of `azure`. */
  readonly resourceName?: string | undefined;
  /** Version of the interface: of `azure`. @default {"v1"} */
  readonly apiVersion?: string | undefined;
  /**
   * Field of a chat request that takes the output limit, and the only one that is sent.
   * @default {max_completion_tokens at OpenAI and Azure; elsewhere max_tokens, beside the caller's}
   */
  readonly outputLimitField?: OutputLimitField | undefined;
  /** Most requests under way at once. @default {200} */
  readonly maxInFlight: number;
  /** What happens upstream when the caller leaves. @default {"cancel"} */
  readonly onDisconnect: "cancel" | "drain";
  /** A name that may lead to any address, also to a link-local one. */
  readonly trustedHost?: string | undefined;
  readonly timeouts: UpstreamTimeouts;
}

/** One model that requests can be routed to. */
export interface Model {
  readonly id: string;
  readonly name: string;
  /** Id of the upstream that serves it. */
  readonly upstream: string;
  /** The upstream's own name for it. */
  readonly upstreamModel: string;
  readonly endpoints: readonly Endpoint[];
  /** Expected quality of its answers, 0 to 1. */
  readonly quality: number;
  /** Longest input and output together, in tokens. */
  readonly contextTokens: number;
  /** Longest output in tokens. @default {it is not known} */
  readonly maxOutputTokens?: number | undefined;
  /** What it can do: `tools`, `vision`, `json`, `reasoning`, ... */
  readonly featureTags: readonly string[];
  readonly industryPacks: readonly string[];
  readonly sku: string;
  readonly price: Price;
  readonly description: Localized;
  /** Taken out of routing by the operator. */
  readonly disabled: boolean;
}

/** Longest output that is held for where a model states none, in tokens. */
export const ASSUMED_OUTPUT_TOKENS = 16_384;

/** Longest output of a model in tokens: as it is stated, else as it is assumed. */
export function longestOutput(
  { contextTokens, maxOutputTokens }: Pick<Model, "contextTokens" | "maxOutputTokens">,
): number {
  return maxOutputTokens ?? Math.min(contextTokens, ASSUMED_OUTPUT_TOKENS);
}

/**
 * Output that a call leaves room for beside what is added to its input, in tokens: what was asked for,
 * unless that is no less than the model's context; else its longest output, but at most a quarter of
 * the context.
 */
export function outputRoom(
  model: Pick<Model, "contextTokens" | "maxOutputTokens">,
  asked: number | undefined,
): number {
  const { contextTokens } = model;
  if (asked !== undefined && asked < contextTokens) return asked;
  return Math.min(longestOutput(model), contextTokens / 4);
}

/** What a wallet's owner bought: an exchange rate and a choice of models. Listed low to high. */
export interface Tier {
  readonly id: string;
  /** Credits charged for a dollar of list price, decimal string. */
  readonly creditsPerUsd: string;
  /** Ids of the models it may use, or all. */
  readonly models: "*" | readonly string[];
  readonly orchestration: "off" | "auto" | "always";
  readonly name: Localized;
  readonly description: Localized;
}

interface SearchPrice {
  /** Dollars for one search, decimal string. */
  readonly pricePerSearch: string;
}

/** A metasearch server of the operator's own. */
export interface SearxngSearchConfig extends SearchPrice {
  readonly kind: "searxng";
  readonly baseUrl: string;
}

/** A search provider that wants a key. */
export interface KeyedSearchConfig extends SearchPrice {
  readonly kind: "brave" | "tavily";
  readonly baseUrl: string;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string | undefined;
  /** The key itself. Never shown again. */
  readonly apiKey?: string | undefined;
}

/** A stand-in that asks nobody and says so. */
export interface OfflineSearchConfig extends SearchPrice {
  readonly kind: "offline";
}

/** Where hosted web search asks, and what a search costs. */
export type SearchConfig = SearxngSearchConfig | KeyedSearchConfig | OfflineSearchConfig;

/** Which model embeds the passages of vector stores and the queries to them. */
export interface EmbeddingsConfig {
  /** Id of an upstream of kind `openai` or `openai-compatible`. */
  readonly upstream: string;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** Length of the vectors, for models that can shorten them. @default {the model's own} */
  readonly dimensions?: number | undefined;
}

/** How vector stores are searched. */
export interface VectorStoresConfig {
  /** @default {none: by full text alone} */
  readonly embeddings?: EmbeddingsConfig | undefined;
}

/** What an operator writes: everything but the version. */
export interface CatalogContent {
  readonly upstreams: readonly UpstreamConfig[];
  readonly models: readonly Model[];
  /** Low to high. */
  readonly tiers: readonly Tier[];
  readonly scoring: ScoringWeights;
  /** @default {as `searchInForce` decides} */
  readonly search?: SearchConfig | undefined;
  readonly vectorStores?: VectorStoresConfig | undefined;
  /** @default {DEFAULT_LIMITS} */
  readonly limits?: Partial<ServiceLimits> | undefined;
}

/** One version of the catalog. Versions count from 1 and are never changed. */
export interface Catalog extends CatalogContent {
  readonly version: number;
  /** Unix time in milliseconds. */
  readonly updatedAtMs: number;
}
