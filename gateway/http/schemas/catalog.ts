import { z } from "zod";
import { ENDPOINTS } from "../../domain/requests/endpoints.ts";

const endpoint = z.enum(ENDPOINTS);

const catalogModel = z.strictObject({
  id: z.string().describe("Informational: requests always say auto"),
  name: z.string(),
  provider: z.string(),
  description: z.string(),
  modality: z.enum(["text", "image", "embedding"]),
  endpoints: z.array(endpoint),
  contextTokens: z.int().nullable(),
  maxOutputTokens: z.int().nullable(),
  featureTags: z.array(z.string()),
  industryPacks: z.array(z.string()),
  sku: z.string(),
  tiers: z.array(z.string()),
  status: z.enum(["available", "degraded", "disabled"]),
}).meta({ id: "CatalogModel" });

/** Answer of `GET /api/v1/models`. */
export const modelListSchema = z.strictObject({
  success: z.literal(true),
  data: z.strictObject({ models: z.array(catalogModel) }),
}).meta({ id: "ModelList" });

const metaEntry = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  count: z.int(),
}).meta({ id: "MetaEntry" });

/** Answer of `GET /api/v1/models/meta`. */
export const modelMetaSchema = z.strictObject({
  tiers: z.array(metaEntry),
  skus: z.array(metaEntry),
  featureTags: z.array(metaEntry),
  industryPacks: z.array(metaEntry),
  providers: z.array(metaEntry),
  updatedAt: z.iso.datetime(),
}).meta({ id: "ModelMeta" });

/** Answer of `GET /api/v1/pricing`. */
export const pricingSchema = z.strictObject({
  currency: z.literal("credits"),
  tiers: z.array(z.strictObject({
    tier: z.string(),
    name: z.string(),
    description: z.string(),
    exchangeRate: z.strictObject({ usd: z.string(), credits: z.string() }),
  })),
  updatedAt: z.iso.datetime(),
}).meta({ id: "Pricing" });

/** Answer of `GET /openai/v1/models`. */
export const openAIModelListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(z.strictObject({
    id: z.literal("auto"),
    object: z.literal("model"),
    created: z.int(),
    owned_by: z.string(),
  })),
}).meta({ id: "OpenAIModelList" });
