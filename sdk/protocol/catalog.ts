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
  id: string;
  name: string;
  provider: string;
  description: string;
  /** `text` or `image`. */
  modality: "text" | "image";
  endpoints: Endpoint[];
  /** Longest input and output together, in tokens; `null` for image models. */
  contextTokens: number | null;
  /** Longest output in tokens; `null` for image models. */
  maxOutputTokens: number | null;
  featureTags: string[];
  industryPacks: string[];
  sku: string;
  /** Ids of the tiers that may use it. */
  tiers: string[];
  status: ModelStatus;
}

/** `GET /api/v1/models`. */
export interface ModelListResponse {
  success: true;
  data: { models: CatalogModel[] };
}

/** One value to filter by, with the number of models that carry it. */
export interface MetaEntry {
  id: string;
  name: string;
  description: string;
  count: number;
}

/** `GET /api/v1/models/meta`: what filters can be built from. */
export interface ModelMetaResponse {
  tiers: MetaEntry[];
  skus: MetaEntry[];
  featureTags: MetaEntry[];
  industryPacks: MetaEntry[];
  providers: MetaEntry[];
  /** ISO 8601 time of the last change of the catalog. */
  updatedAt: string;
}

/** What a tier costs its customers. */
export interface TierPricing {
  tier: string;
  name: string;
  description: string;
  /** So many credits for so many dollars of provider list price, as decimal strings. */
  exchangeRate: { usd: string; credits: string };
}

/** `GET /api/v1/pricing`. */
export interface PricingResponse {
  currency: "credits";
  tiers: TierPricing[];
  /** ISO 8601 time of the last change of the catalog. */
  updatedAt: string;
}
