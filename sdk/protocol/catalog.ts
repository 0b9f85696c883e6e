/**
 * The catalog on the wire: camelCase throughout `/api/v1`.
 *
 * @module
 */

/**
 * Language of names and descriptions.
 *
 * @example
 * ```ts
 * import type { Locale } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const locales: Locale[] = ["en", "zh"];
 * const wanted = navigator.language.slice(0, 2);
 * const locale = locales.find((one) => one === wanted) ?? "en";
 * assert(locales.includes(locale));
 * ```
 */
export type Locale = "en" | "zh";

/**
 * A model endpoint, as a model entry and a key policy name it.
 *
 * @example
 * ```ts
 * import type { Endpoint } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const counts: Partial<Record<Endpoint, number>> = { chat: 2, "images.edits": 1 };
 * assertEquals(Object.keys(counts), ["chat", "images.edits"]);
 * ```
 */
export type Endpoint = "chat" | "responses" | "images.generations" | "images.edits";

/**
 * Whether a model can be routed to. `degraded`: its upstream is cooling down after failures.
 *
 * @example
 * ```ts
 * import type { ModelStatus } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * const isRouted = (status: ModelStatus) => status !== "disabled";
 * assert(isRouted("degraded"));
 * ```
 */
export type ModelStatus = "available" | "degraded" | "disabled";

/**
 * One model of the public catalog. Its `id` is informational: requests always say `auto`.
 *
 * @example
 * ```ts
 * import type { CatalogModel } from "@svc/sdk/protocol";
 * import { assert } from "@std/assert";
 *
 * function fits({ endpoints, contextTokens }: CatalogModel, tokens: number): boolean {
 *   return endpoints.includes("chat") && (contextTokens ?? 0) >= tokens;
 * }
 * const model: CatalogModel = {
 *   id: "fast-mini",
 *   name: "Fast Mini",
 *   provider: "openai",
 *   description: "Quick answers",
 *   modality: "text",
 *   endpoints: ["chat", "responses"],
 *   sku: "text",
 *   tiers: ["standard"],
 *   contextTokens: 400_000,
 *   maxOutputTokens: 128_000,
 *   featureTags: ["tools"],
 *   industryPacks: [],
 *   status: "available",
 * };
 * assert(fits(model, 100_000));
 * ```
 */
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

/**
 * What the envelope of a model list holds.
 *
 * @example
 * ```ts
 * import type { ModelListData } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const data: ModelListData = JSON.parse('{"models":[{"id":"fast-mini","tiers":["standard"]}]}');
 * assertEquals(data.models.map(({ id }) => id), ["fast-mini"]);
 * ```
 */
export interface ModelListData {
  /** Every listed model; there are no pages. */
  models: CatalogModel[];
}

/**
 * `GET /api/v1/models`.
 *
 * @example
 * ```ts
 * import type { ModelListResponse } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const { success, data }: ModelListResponse = { success: true, data: { models: [] } };
 * assertEquals([success, data.models.length], [true, 0]);
 * ```
 */
export interface ModelListResponse {
  /** Always true: a failure is an error envelope with its own status. */
  success: true;
  /** The catalog. */
  data: ModelListData;
}

/**
 * One value to filter by, with the number of models that carry it.
 *
 * @example
 * ```ts
 * import type { MetaEntry } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tags: MetaEntry[] = [
 *   { id: "vision", name: "Vision", description: "Sees images", count: 3 },
 *   { id: "tools", name: "Tools", description: "Calls functions", count: 7 },
 * ];
 * const [commonest] = tags.toSorted((a, b) => b.count - a.count);
 * assertEquals(commonest?.id, "tools");
 * ```
 */
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

/**
 * `GET /api/v1/models/meta`: what filters can be built from.
 *
 * @example
 * ```ts
 * import type { ModelMetaResponse } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const standard = { id: "standard", name: "Standard", description: "", count: 7 };
 * const meta: ModelMetaResponse = {
 *   tiers: [standard],
 *   skus: [],
 *   featureTags: [],
 *   industryPacks: [],
 *   providers: [],
 *   updatedAt: "2026-03-01T12:00:00.000Z",
 * };
 * assertEquals(meta.tiers.map(({ name, count }) => `${name} (${count})`), ["Standard (7)"]);
 * ```
 */
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

/**
 * So many credits for so many dollars of provider list price.
 *
 * @example
 * ```ts
 * import type { ExchangeRate } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const { usd, credits }: ExchangeRate = { usd: "1", credits: "1000" };
 * assertEquals(Number(credits) / Number(usd), 1_000);
 * ```
 */
export interface ExchangeRate {
  /** US dollars, decimal string. */
  usd: string;
  /** Credits charged for them, decimal string. */
  credits: string;
}

/**
 * What a tier costs its customers.
 *
 * @example
 * ```ts
 * import type { TierPricing } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tier: TierPricing = {
 *   tier: "standard",
 *   name: "Standard",
 *   description: "For everyday work",
 *   exchangeRate: { usd: "1", credits: "1000" },
 * };
 * assertEquals(`${tier.name}: ${tier.exchangeRate.credits} credits`, "Standard: 1000 credits");
 * ```
 */
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

/**
 * `GET /api/v1/pricing`.
 *
 * @example
 * ```ts
 * import type { PricingResponse } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const pricing: PricingResponse = JSON.parse(
 *   '{"currency":"credits","tiers":[],"updatedAt":"2026-03-01T12:00:00.000Z"}',
 * );
 * assertEquals(new Date(pricing.updatedAt).getUTCFullYear(), 2026);
 * ```
 */
export interface PricingResponse {
  /** What wallets hold and bills are written in. */
  currency: "credits";
  /** Every tier of the catalog. */
  tiers: TierPricing[];
  /** ISO 8601 time of the last change of the catalog. */
  updatedAt: string;
}
