/**
 * Catalogs for tests of the pool, with models and upstreams that differ only in what a test needs.
 *
 * @module
 */

import type { Catalog, Model, UpstreamConfig } from "../domain/catalog/catalog.ts";

/** Returns an upstream with a number of leases, two by default. */
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

/** Returns a model of an upstream, by default of the one with its name. */
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

/** Returns the first version of a catalog with these upstreams and models. */
export function catalogOf(
  upstreams: readonly UpstreamConfig[],
  models: readonly Model[],
): Catalog {
  return { version: 1, updatedAtMs: 0, upstreams, models, tiers: [] };
}
