/**
 * Catalogs for tests of the pool: models and upstreams in which only what a test is about varies.
 *
 * @module
 */

import type { Catalog, Model, UpstreamConfig } from "../domain/catalog/catalog.ts";
import { DEFAULT_SCORING } from "../domain/routing/score.ts";

/** An upstream with so many places, two where nothing is said. */
export function upstreamOf(id: string, more: Partial<UpstreamConfig> = {}): UpstreamConfig {
  return {
    id,
    kind: "openai",
    provider: id,
    maxInFlight: 2,
    onDisconnect: "cancel",
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    ...more,
  };
}

/** A model of an upstream: of the one of its own name, where nothing is said. */
export function modelOf(id: string, upstream = id, upstreamModel = id): Model {
  return {
    id,
    name: id,
    upstream,
    upstreamModel,
    endpoints: ["chat"],
    quality: 0.5,
    contextTokens: 1_000,
    maxOutputTokens: 100,
    featureTags: [],
    industryPacks: [],
    sku: "text",
    price: { inputPerMTok: "1", outputPerMTok: "1", currency: "USD" },
    description: { en: id, zh: id },
    disabled: false,
  };
}

/** The first version of a catalog of these. */
export function catalogOf(
  upstreams: readonly UpstreamConfig[],
  models: readonly Model[],
): Catalog {
  return { version: 1, updatedAtMs: 0, upstreams, models, tiers: [], scoring: DEFAULT_SCORING };
}
