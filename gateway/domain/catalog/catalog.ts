/**
 * The catalog: upstreams, models and tiers as one version. The store holds it; a request keeps the
 * version it started with.
 *
 * @module
 */

import type { Endpoint, Locale } from "@svc/sdk/protocol";
import type { Price } from "../ledger/pricing.ts";
import type { AutoSettings } from "../routing/auto.ts";
import type { Dial } from "../routing/dial.ts";
import type { ServiceLimits } from "../limits/service_limits.ts";

/** A text in every language of the catalog. */
export type Localized = Readonly<Record<Locale, string>>;

/** Names of the output limit at Chat Completions servers. */
export const OUTPUT_LIMIT_FIELDS = ["max_completion_tokens", "max_tokens"] as const;

export type OutputLimitField = typeof OUTPUT_LIMIT_FIELDS[number];

/** Time limits of one attempt at an upstream, in milliseconds. */
export interface UpstreamTimeouts {
  /** Longest time to open a TCP connection. @default {5000} */
  readonly connectMs: number;
  /**
   * Longest time from sending the request to the first byte of the response body. @default {300000}
   */
  readonly firstByteMs: number;
  /** Longest time between two reads of the response body. @default {60000} */
  readonly idleMs: number;
}

/** One provider account or server. */
export interface UpstreamConfig {
  readonly id: string;
  /** Kind of the provider: a name of the registry in `upstreams/providers`. */
  readonly kind: string;
  /** Name that customers see and policies match. @default {id} */
  readonly provider: string;
  readonly baseUrl?: string | undefined;
  /** Name of the environment variable that holds the provider's key. */
  readonly apiKeyEnv?: string | undefined;
  /** The key itself, for servers that accept any. Never shown again. */
  readonly apiKey?: string | undefined;
  /** Name of the variable with the path of a service account's JSON key, for `google-vertex`. */
  readonly credentialsFileEnv?: string | undefined;
  /**
   * Name of the variable with the id of an access key that signs requests, for `amazon-bedrock`.
   */
  readonly accessKeyIdEnv?: string | undefined;
  /** Name of the variable with the secret of that access key. */
  readonly secretAccessKeyEnv?: string | undefined;
  /** Name of the variable with the session token of temporary keys. */
  readonly sessionTokenEnv?: string | undefined;
  /** Region, for `amazon-bedrock` and `google-vertex`. */
  readonly region?: string | undefined;
  /** Project that is billed, for `google-vertex`. */
  readonly project?: string | undefined;
  /** First label of the host name, for `azure`. */
  readonly resourceName?: string | undefined;
  /** Version of the API, for `azure`. @default {"v1"} */
  readonly apiVersion?: string | undefined;
  /**
   * The only field that carries the output limit of a chat request.
   *
   * @default {max_completion_tokens at OpenAI and Azure; elsewhere max_tokens, beside the caller's}
   */
  readonly outputLimitField?: OutputLimitField | undefined;
  /** Maximum number of calls in flight. @default {200} */
  readonly maxInFlight: number;
  /** Effect of a caller disconnect on the upstream call. @default {"cancel"} */
  readonly onDisconnect: "cancel" | "drain";
  /** Host name that may resolve to any address, also to a link-local one. */
  readonly trustedHost?: string | undefined;
  readonly timeouts: UpstreamTimeouts;
}

/** One model that requests can be routed to. */
export interface Model {
  readonly id: string;
  readonly name: string;
  /** Id of the upstream that serves the model. */
  readonly upstream: string;
  /** Name of the model at its upstream. */
  readonly upstreamModel: string;
  readonly endpoints: readonly Endpoint[];
  /** Expected quality of responses, 0 to 1. */
  readonly quality: number;
  /** Maximum input and output together, in tokens. */
  readonly contextTokens: number;
  /** Maximum output, in tokens. @default {unknown} */
  readonly maxOutputTokens?: number | undefined;
  /** Capabilities: `tools`, `vision`, `json`, `reasoning`, ... */
  readonly featureTags: readonly string[];
  readonly industryPacks: readonly string[];
  readonly sku: string;
  readonly price: Price;
  readonly description: Localized;
  /** True when the operator excluded the model from routing. */
  readonly disabled: boolean;
}

/** True for models that embed texts and write none: they have no output and no price for it. */
export function embedsOnly({ endpoints }: Pick<Model, "endpoints">): boolean {
  return endpoints.includes("embeddings") && !writesText({ endpoints });
}

/** True for models that write text. */
export function writesText({ endpoints }: Pick<Model, "endpoints">): boolean {
  return endpoints.includes("chat") || endpoints.includes("responses");
}

/** Output to hold for a model that states no maximum, in tokens. */
export const ASSUMED_OUTPUT_TOKENS = 16_384;

/** Returns the maximum output of a model in tokens: as stated, else as assumed. */
export function longestOutput(
  { contextTokens, maxOutputTokens }: Pick<Model, "contextTokens" | "maxOutputTokens">,
): number {
  return maxOutputTokens ?? Math.min(contextTokens, ASSUMED_OUTPUT_TOKENS);
}

/**
 * Returns the output to reserve in the context of a call, in tokens: the requested output, unless
 * that fills the context; else the model's maximum, at most a quarter of the context.
 */
export function outputRoom(
  model: Pick<Model, "contextTokens" | "maxOutputTokens">,
  requestedTokens: number | undefined,
): number {
  const { contextTokens } = model;
  if (requestedTokens !== undefined && requestedTokens < contextTokens) return requestedTokens;
  return Math.min(longestOutput(model), contextTokens / 4);
}

/** A product level: an exchange rate and a selection of models. Listed low to high. */
export interface Tier {
  readonly id: string;
  /** Credits charged per dollar of list price, decimal string. */
  readonly creditsPerUsd: string;
  /** Ids of the models that the tier may use, or all. */
  readonly models: "*" | readonly string[];
  readonly orchestration: "off" | "auto" | "always";
  /** Position of the dial between cost and quality. @default {the catalog's} */
  readonly dial?: Dial | undefined;
  readonly name: Localized;
  readonly description: Localized;
}

interface SearchPrice {
  /** Dollars per search, decimal string. */
  readonly pricePerSearch: string;
}

/** A metasearch server that the operator runs. */
export interface SearxngSearchConfig extends SearchPrice {
  readonly kind: "searxng";
  readonly baseUrl: string;
}

/** A search provider that requires a key. */
export interface KeyedSearchConfig extends SearchPrice {
  readonly kind: "brave" | "tavily";
  readonly baseUrl: string;
  /** Name of the environment variable with the key. */
  readonly apiKeyEnv?: string | undefined;
  /** The key itself. Never shown again. */
  readonly apiKey?: string | undefined;
}

/** A stand-in that searches nothing and says so. */
export interface OfflineSearchConfig extends SearchPrice {
  readonly kind: "offline";
}

/** The search backend of hosted web search, with its price. */
export type SearchConfig = SearxngSearchConfig | KeyedSearchConfig | OfflineSearchConfig;

/** The model that embeds the passages of vector stores and queries to them. */
export interface EmbeddingsConfig {
  /** Id of an upstream of kind `openai` or `openai-compatible`. */
  readonly upstream: string;
  /** Name of the model at its upstream. */
  readonly model: string;
  /** Length of the vectors, for models that can shorten them. @default {the model's own} */
  readonly dimensions?: number | undefined;
}

/** Options of searches in vector stores. */
export interface VectorStoresConfig {
  /**
   * @default {none: full text search alone}
   */
  readonly embeddings?: EmbeddingsConfig | undefined;
}

/** The part of the catalog that an operator writes: everything but the version. */
export interface CatalogContent {
  readonly upstreams: readonly UpstreamConfig[];
  readonly models: readonly Model[];
  /** Low to high. */
  readonly tiers: readonly Tier[];
  /** @default {balanced, without audits} */
  readonly auto?: AutoSettings | undefined;
  /** @default {as `searchInForce` decides} */
  readonly search?: SearchConfig | undefined;
  readonly vectorStores?: VectorStoresConfig | undefined;
  /** @default {DEFAULT_LIMITS} */
  readonly limits?: Partial<ServiceLimits> | undefined;
}

/** One version of the catalog. Versions count from 1 and never change. */
export interface Catalog extends CatalogContent {
  readonly version: number;
  /** Unix time in milliseconds. */
  readonly updatedAtMs: number;
}
