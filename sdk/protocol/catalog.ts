/**
 * The catalog on the wire: camelCase throughout `/api/v1`.
 *
 * @module
 */

/** Language of names and descriptions. */
export type Locale = "en" | "zh";

/** A model endpoint, as a model entry and a key policy name it. */
export type Endpoint =
  | "chat"
  | "responses"
  | "images.generations"
  | "images.edits"
  | "embeddings";

/** State of a model in routing. `degraded`: its upstream is in a cooldown after failures. */
export type ModelStatus = "available" | "degraded" | "disabled";

/** One model of the public catalog. Its `id` is informational: requests always say `auto`. */
export interface CatalogModel {
  /** Id of the model in answers and bills; it cannot be sent as a request's model. */
  id: string;
  /** Display name. */
  name: string;
  /** Name of the provider, for instance `openai`. */
  provider: string;
  /** Recommended use, in the requested locale. */
  description: string;
  /** Kind of output. */
  modality: "text" | "image" | "embedding";
  /** The endpoints whose requests may be routed to it. */
  endpoints: Endpoint[];
  /** Longest input and output together, in tokens; `null` for image models. */
  contextTokens: number | null;
  /** Longest output in tokens; `null` where it is not known, and for models that write no text. */
  maxOutputTokens: number | null;
  /** Capabilities besides plain text, for instance `tools`, `vision` or `json`. */
  featureTags: string[];
  /** Trades that the operator recommends it for; often empty. */
  industryPacks: string[];
  /** The product that it is sold as, for instance `text`. */
  sku: string;
  /** Ids of the tiers that may use it. */
  tiers: string[];
  /** Present state in routing. */
  status: ModelStatus;
}

/** Content of the envelope of a model list. */
export interface ModelListData {
  /** Every listed model; there are no pages. */
  models: CatalogModel[];
}

/** `GET /api/v1/models`. */
export interface ModelListResponse {
  /** Always true: a failure is an error envelope with its own status. */
  success: true;
  /** The catalog. */
  data: ModelListData;
}

/** One value to filter by, with the number of models that carry it. */
export interface MetaEntry {
  /** The value as model entries carry it. */
  id: string;
  /** Display name, in the requested locale. */
  name: string;
  /** One sentence in the locale asked for; empty where the operator wrote none. */
  description: string;
  /** Number of listed models that carry the value. */
  count: number;
}

/** `GET /api/v1/models/meta`: the values for filters. */
export interface ModelMetaResponse {
  /** Values of a model's `tiers`. */
  tiers: MetaEntry[];
  /** Values of a model's `sku`. */
  skus: MetaEntry[];
  /** Values of a model's `featureTags`. */
  featureTags: MetaEntry[];
  /** Values of a model's `industryPacks`. */
  industryPacks: MetaEntry[];
  /** Values of a model's `provider`. */
  providers: MetaEntry[];
  /** ISO 8601 time of the last change of the catalog. */
  updatedAt: string;
}

/** An exchange rate between dollars of provider list price and credits. */
export interface ExchangeRate {
  /** US dollars, decimal string. */
  usd: string;
  /** Credits charged for them, decimal string. */
  credits: string;
}

/** Prices of a tier. */
export interface TierPricing {
  /** Id of the tier. */
  tier: string;
  /** Display name, in the requested locale. */
  name: string;
  /** Description of the tier, in the requested locale. */
  description: string;
  /** Rate at which list prices become credits in this tier. */
  exchangeRate: ExchangeRate;
}

/** `GET /api/v1/pricing`. */
export interface PricingResponse {
  /** Unit of wallets and bills. */
  currency: "credits";
  /** Every tier of the catalog. */
  tiers: TierPricing[];
  /** ISO 8601 time of the last change of the catalog. */
  updatedAt: string;
}
