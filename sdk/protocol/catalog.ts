/**
 * The catalog on the wire: camelCase throughout `/api/v1`.
 *
 * @module
 */

/** Language of names and descriptions. */
export type Locale = "en" | "zh";

/** A model endpoint, as a model entry and a key policy name it. */
export type Endpoint = "chat" | "responses" | "images.generations" | "images.edits";

/** Whether a model can be routed to. `degraded`: its upstream is cooling down after failures. */
export type ModelStatus = "available" | "degraded" | "disabled";

/** One model of the public catalog. Its `id` is informational: requests always say `auto`. */
export interface CatalogModel {
  /** What answers and bills call this model; it cannot be sent as a request's model. */
  id: string;
  /** What to show to people. */
  name: string;
  /** Who serves it, for instance `openai`. */
  provider: string;
  /** What it is good for, in the locale asked for. */
  description: string;
  /** What it produces. */
  modality: "text" | "image";
  /** The endpoints whose requests may be routed to it. */
  endpoints: Endpoint[];
  /** Longest input and output together, in tokens; `null` for image models. */
  contextTokens: number | null;
  /** Longest output in tokens; `null` for image models, and where it is not known. */
  maxOutputTokens: number | null;
  /** What it can do besides plain text, for instance `tools`, `vision` or `json`. */
  featureTags: string[];
  /** Trades that the operator recommends it for; often empty. */
  industryPacks: string[];
  /** The product that it is sold as, for instance `text`. */
  sku: string;
  /** Ids of the tiers that may use it. */
  tiers: string[];
  /** Whether requests are routed to it now. */
  status: ModelStatus;
}

/** What the envelope of a model list holds. */
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
  /** What to show to people, in the locale asked for. */
  name: string;
  /** One sentence in the locale asked for; empty where the operator wrote none. */
  description: string;
  /** Number of listed models that carry the value. */
  count: number;
}

/** `GET /api/v1/models/meta`: what filters can be built from. */
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

/** So many credits for so many dollars of provider list price. */
export interface ExchangeRate {
  /** US dollars, decimal string. */
  usd: string;
  /** Credits charged for them, decimal string. */
  credits: string;
}

/** What a tier costs its customers. */
export interface TierPricing {
  /** Id of the tier. */
  tier: string;
  /** What to show to people, in the locale asked for. */
  name: string;
  /** What the tier offers, in the locale asked for. */
  description: string;
  /** How list prices become credits in this tier. */
  exchangeRate: ExchangeRate;
}

/** `GET /api/v1/pricing`. */
export interface PricingResponse {
  /** What wallets hold and bills are written in. */
  currency: "credits";
  /** Every tier of the catalog. */
  tiers: TierPricing[];
  /** ISO 8601 time of the last change of the catalog. */
  updatedAt: string;
}
