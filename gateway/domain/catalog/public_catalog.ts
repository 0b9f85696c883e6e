/**
 * The catalog as customers see it: names, capabilities and exchange rates, never a provider's
 * prices.
 *
 * @module
 */

import type {
  CatalogModel,
  Locale,
  MetaEntry,
  ModelMetaResponse,
  ModelStatus,
  PricingResponse,
} from "@svc/sdk/protocol";
import {
  type Catalog,
  embedsOnly,
  type Localized,
  type Model,
  type Tier,
  writesText,
} from "./catalog.ts";
import type { TargetState } from "../routing/plan.ts";
import { describeTag } from "./tag_names.ts";

/** Returns the models of `GET /api/v1/models`, in the catalog's order. */
export function publicModels(
  catalog: Catalog,
  options: { locale: Locale; states: ReadonlyMap<string, TargetState> },
): CatalogModel[] {
  const providers = providersOf(catalog);
  return catalog.models.map((model) => {
    const modality = modalityOf(model);
    return {
      id: model.id,
      name: model.name,
      provider: providers.get(model.upstream) ?? model.upstream,
      description: model.description[options.locale],
      modality,
      endpoints: [...model.endpoints],
      contextTokens: modality === "image" ? null : model.contextTokens,
      maxOutputTokens: modality === "text" ? model.maxOutputTokens ?? null : null,
      featureTags: [...model.featureTags],
      industryPacks: [...model.industryPacks],
      sku: model.sku,
      tiers: catalog.tiers.filter((tier) => tierHas(tier, model.id)).map((tier) => tier.id),
      status: statusOf(model, options.states.get(model.id)),
    };
  });
}

/**
 * Returns `GET /api/v1/models/meta`: every value that models can be filtered by, with its count.
 */
export function modelMeta(catalog: Catalog, locale: Locale): ModelMetaResponse {
  const providers = providersOf(catalog);
  const entries = (valuesOf: (model: Model) => readonly string[]) =>
    tagEntries(catalog.models.flatMap((model) => [...new Set(valuesOf(model))]), locale);
  return {
    tiers: catalog.tiers.map((tier) => ({
      ...named(tier, locale),
      count: catalog.models.filter((model) => tierHas(tier, model.id)).length,
    })),
    skus: entries((model) => [model.sku]),
    featureTags: entries((model) => model.featureTags),
    industryPacks: entries((model) => model.industryPacks),
    providers: entries((model) => [providers.get(model.upstream) ?? model.upstream]),
    updatedAt: new Date(catalog.updatedAtMs).toISOString(),
  };
}

/** Returns `GET /api/v1/pricing`: the credits per dollar of list price in each tier. */
export function tierPricing(catalog: Catalog, locale: Locale): PricingResponse {
  return {
    currency: "credits",
    tiers: catalog.tiers.map((tier) => {
      const { id, name, description } = named(tier, locale);
      const exchangeRate = { usd: "1", credits: tier.creditsPerUsd };
      return { tier: id, name, description, exchangeRate };
    }),
    updatedAt: new Date(catalog.updatedAtMs).toISOString(),
  };
}

/** Returns the kind of a model's output: text where it writes any. */
function modalityOf(model: Model): CatalogModel["modality"] {
  if (writesText(model)) return "text";
  return embedsOnly(model) ? "embedding" : "image";
}

/** True when a tier may use a model. */
function tierHas(tier: Tier, modelId: string): boolean {
  return tier.models === "*" || tier.models.includes(modelId);
}

function providersOf(catalog: Catalog): Map<string, string> {
  return new Map(catalog.upstreams.map((upstream) => [upstream.id, upstream.provider]));
}

function statusOf(model: Model, state: TargetState | undefined): ModelStatus {
  if (model.disabled) return "disabled";
  return state === undefined || state.available ? "available" : "degraded";
}

function named(
  entry: { id: string; name: Localized; description: Localized },
  locale: Locale,
): { id: string; name: string; description: string } {
  return { id: entry.id, name: entry.name[locale], description: entry.description[locale] };
}

function tagEntries(ids: readonly string[], locale: Locale): MetaEntry[] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].map(([id, count]) => ({ id, ...describeTag(id, locale), count }));
}
