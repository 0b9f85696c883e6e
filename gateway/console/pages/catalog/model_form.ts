/**
 * A model as the fields of a form, and back. What the form does not know of a model is kept.
 *
 * @module
 */

import type { CatalogModel } from "./content.ts";
import { listOf, numberFrom, textsOf } from "./field_values.ts";

/** Fields of a price, as the form has them. */
export const PRICE_FIELDS = [
  "inputPerMTok",
  "outputPerMTok",
  "cachedInputPerMTok",
  "cacheWriteInputPerMTok",
  "imageInputPerMTok",
  "perImage",
  "perWebSearch",
] as const;

const TEXTS = ["name", "upstream", "upstreamModel", "sku"] as const;
const NUMBERS = ["quality", "contextTokens", "maxOutputTokens"] as const;
const LISTS = ["featureTags", "industryPacks"] as const;

/** The fields of a model. */
export function modelFields(model: CatalogModel): URLSearchParams {
  const fields = new URLSearchParams({ id: model.id });
  for (const name of TEXTS) fields.set(name, model[name]);
  for (const name of NUMBERS) fields.set(name, String(model[name] ?? ""));
  for (const name of LISTS) fields.set(name, model[name].join(", "));
  for (const endpoint of model.endpoints) fields.append("endpoints", endpoint);
  for (const name of PRICE_FIELDS) fields.set(`price.${name}`, model.price[name] ?? "");
  fields.set("description.en", model.description.en);
  fields.set("description.zh", model.description.zh);
  if (model.disabled) fields.set("disabled", "on");
  return fields;
}

/** Returns the model that a form describes, for the operator's API to check; empty fields are left out. */
export function modelOf(
  fields: URLSearchParams,
  before?: CatalogModel,
): Record<string, unknown> & { readonly id: string } {
  const price = textsOf(fields, PRICE_FIELDS, "price.");
  const hasPrice = Object.keys(price).length > 0;
  const description = textsOf(fields, ["en", "zh"], "description.");
  const numbers = NUMBERS.map((name) => [name, numberFrom(fields.get(name) ?? "")] as const);
  const otherFields = Object.entries(before ?? {}).filter(([name]) => !KNOWN.has(name));
  const keptPrice = Object.entries(before?.price ?? {})
    .filter(([name]) => !PRICE_FIELDS.some((known) => known === name));
  return {
    ...Object.fromEntries(otherFields),
    ...textsOf(fields, TEXTS),
    ...Object.fromEntries(numbers.filter(([, value]) => value !== undefined)),
    id: before?.id ?? fields.get("id")?.trim() ?? "",
    endpoints: fields.getAll("endpoints"),
    featureTags: listOf(fields.get("featureTags") ?? ""),
    industryPacks: listOf(fields.get("industryPacks") ?? ""),
    ...(hasPrice ? { price: { ...Object.fromEntries(keptPrice), ...price } } : {}),
    ...(Object.keys(description).length > 0 ? { description } : {}),
    disabled: fields.has("disabled"),
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  "id",
  ...TEXTS,
  ...NUMBERS,
  ...LISTS,
  "endpoints",
  "price",
  "description",
  "disabled",
]);
