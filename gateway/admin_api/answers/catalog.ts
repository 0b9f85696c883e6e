/**
 * Answers about the catalog, its check and its models.
 *
 * @module
 */

import { z } from "zod";
import { configSchema } from "../../config/schema.ts";
import { ENDPOINTS } from "../../domain/requests/endpoints.ts";
import { countAnswer, cursorAnswer, timeAnswer } from "./parts.ts";

const { upstreams, models, tiers, auto, search, vectorStores, limits } = configSchema.shape;
const version = z.int().min(1);
const model = models.element.required({ name: true, upstreamModel: true, price: true })
  .extend({ contextTokens: z.int().optional(), sku: z.string() });

/** Answer of `GET /catalog`, and of one version. */
export const catalogAnswer = z.strictObject({
  version,
  updatedAt: timeAnswer,
  content: z.strictObject({
    upstreams: z.array(upstreams.element.extend({ provider: z.string() })).describe(
      "Keys show as (hidden), and stay in force where they are sent back so",
    ),
    models: z.array(model.extend({ description: tiers.element.shape.description })),
    tiers,
    auto: auto.optional(),
    search,
    vectorStores,
    limits,
  }),
}).meta({ id: "Catalog", description: "Upstreams, models and tiers in force" });

/** Answer of `GET /catalog/versions`. */
export const catalogVersionsAnswer = z.strictObject({
  versions: z.array(z.strictObject({ version, updatedAt: timeAnswer, note: z.string() })),
  cursor: cursorAnswer,
}).meta({ id: "CatalogVersions" });

const changes = z.array(z.strictObject({
  path: z.string().meta({ example: "models.fast-mini.price.inputPerMTok" }),
  kind: z.enum(["added", "removed", "changed"]),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
}));

/** Answer of `GET /catalog/versions/{version}/changes`. */
export const catalogDifferenceAnswer = z.strictObject({
  version,
  since: version.nullable().describe("Null where there is nothing before it"),
  changes,
}).meta({ id: "CatalogDifference" });

/** Answer of `POST /catalog/apply` and `POST /catalog/rollback`. */
export const catalogChangeAnswer = z.strictObject({
  changes,
  warnings: z.array(z.string()),
  cuts: z.array(z.string()).describe(
    "Those of the warnings by which keys lose something, or nothing could answer",
  ),
  version,
  applied: z.boolean().describe("False for a rehearsal, and where nothing differs"),
}).meta({ id: "CatalogChange" });

/** Answer of `GET /catalog/check`. */
export const catalogCheckAnswer = z.strictObject({
  version,
  ok: z.boolean(),
  advice: z.string().nullable(),
  audits: z.string().nullable().describe("Why audits cannot run; null if they can, or are off"),
  priceList: z.strictObject({
    name: z.string(),
    version: z.string(),
    publishedAt: z.string(),
    ageDays: countAnswer,
    old: z.boolean(),
  }),
  upstreams: z.array(z.strictObject({
    id: z.string(),
    status: z.enum(["listed", "unlisted", "no credentials", "refused", "timeout", "failed"]),
    models: countAnswer.describe("Number of models that it lists"),
    reason: z.string().nullable(),
    variables: z.array(z.string()).describe("Environment variables that are not set"),
  })),
  models: z.array(z.strictObject({
    id: z.string(),
    upstream: z.string(),
    upstreamModel: z.string(),
    status: z.enum(["ok", "unpriced", "unreachable", "stale"]),
    price: z.enum(["list", "own", "differs", "free", "none"]),
    priceEntry: z.string().nullable(),
    listed: z.boolean().nullable(),
    problems: z.array(z.strictObject({
      kind: z.enum(["unpriced", "unreachable", "stale"]),
      cause: z.enum(["price", "gone", "upstream"]),
      message: z.string(),
    })),
    notes: z.array(z.string()),
  })),
}).meta({ id: "CatalogCheck" });

/** Answer of `GET /models`. */
export const poolAnswer = z.strictObject({
  version,
  models: z.array(z.strictObject({
    id: z.string(),
    name: z.string(),
    upstream: z.string(),
    upstreamModel: z.string(),
    endpoints: z.array(z.enum(ENDPOINTS)),
    quality: z.number(),
    price: model.shape.price,
    status: z.enum(["disabled", "no credentials", "degraded", "available"]),
    reason: z.string().nullable(),
    retryAfterMs: z.number().nullable(),
    latencyMs: z.number().nullable(),
    failures: countAnswer.describe("Failures in a row until now"),
    inFlight: countAnswer.describe("Calls in flight at its upstream"),
  })),
}).meta({ id: "Pool", description: "The models as routing sees them" });

/** Answer of `GET /upstreams/{id}/models`. */
export const offeredModelsAnswer = z.strictObject({
  upstream: z.string(),
  models: z.array(z.string()),
}).meta({ id: "OfferedModels" });
