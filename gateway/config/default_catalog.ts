/**
 * The catalog that comes with the gateway: current models of the providers that one environment
 * variable is enough for. The models are in `default_catalog.json`, their upstreams in the descriptors
 * of the provider kinds; together they are a configuration file to be copied and changed.
 *
 * - **Models** are those that the price list prices and does not mark as deprecated; it is some weeks
 *   behind the providers. Prices and context lengths come from the list; what it lacks is as the
 *   provider states it. Where a price rises with the length of the input, the context ends there.
 * - **Quality** is the model's step in its provider's line-up, as the provider describes it, and no
 *   measurement: 0.45 the smallest, 0.6 small and quick, 0.75 the middle, 0.85 large, 0.95 the
 *   flagship. Two models of one step differ by their prices. Operators know their prompts better, so
 *   the figures are meant to be overridden.
 * - **Industry packs** say what a model suits by what it can do, and certify nothing. `support`:
 *   cheap or quick enough for many conversations. `education`: likewise, and explains well enough.
 *   `software`: made for code, or reasons and calls tools. `finance` and `legal`: from the middle
 *   upwards, with a context for long documents. `media`: draws.
 * - **Output limits** are what the providers' pages of their models state: 131,072 at Z.ai, and at
 *   Moonshot unless the request asks for more. The price list has none. Mistral and xAI state only the
 *   context, and Alibaba's limits differ by host; 131,072 is used there too, and longer output is cut.
 *   For images the limit is well above the 6,240 tokens that OpenAI's guide gives for the largest.
 * - **`outputLimitField`** is the field that the provider's reference of Chat Completions names.
 *
 * @module
 */

import type { Tier } from "../domain/catalog/catalog.ts";
import type { HostPreset, KeyPreset, UpstreamPreset } from "../upstreams/providers/descriptor.ts";
import { PROVIDERS } from "../upstreams/providers/provider_kinds.ts";
import file from "./default_catalog.json" with { type: "json" };
import { defaultTiers } from "./default_tiers.ts";

/** An upstream of the default catalog, as a configuration file has it. */
export interface DefaultUpstream extends KeyPreset {
  readonly kind: string;
}

/** The default catalog, or a part of it, as a configuration file. */
export interface DefaultCatalog {
  readonly upstreams: readonly DefaultUpstream[];
  readonly models: readonly {
    readonly id: string;
    readonly upstream: string;
    readonly quality: number;
  }[];
  readonly tiers: readonly Tier[];
}

/**
 * The default models. An id is that of the upstream, a slash, and the provider's own name; a model
 * whose endpoints are not written serves text. `en` and `zh` are its description.
 */
export const DEFAULT_MODELS = file.models.map(({ id, name, ...model }) => {
  const [upstream = ""] = id.split("/", 1);
  const upstreamModel = id.slice(upstream.length + 1);
  const { endpoints = ["chat", "responses"], quality, ...rest } = model;
  const { en, zh, sku = "text", ...traits } = rest;
  const description = { en, zh };
  return { id, name, upstream, upstreamModel, endpoints, quality, ...traits, sku, description };
});

const KEY_PRESETS = PROVIDERS.flatMap(({ defaultBaseUrl, kind, presets = [] }) =>
  presets.filter(isKeyPreset).map(({ id, ...preset }) => ({
    id,
    kind,
    ...(defaultBaseUrl === undefined ? {} : { baseUrl: defaultBaseUrl }),
    ...preset,
  }))
);

/** The upstreams of the default catalog, in the order of its models. */
export const DEFAULT_UPSTREAMS: readonly DefaultUpstream[] = [
  ...new Set(DEFAULT_MODELS.map(({ upstream }) => upstream)),
].flatMap((id) => KEY_PRESETS.find((preset) => preset.id === id) ?? []);

/** Servers that one variable names, with the kind that serves them. */
export const HOST_PRESETS: readonly (HostPreset & { readonly kind: string })[] = PROVIDERS.flatMap((
  { kind, presets = [] },
) => presets.flatMap((preset) => isKeyPreset(preset) ? [] : [{ kind, ...preset }]));

/** Returns the part of the default catalog whose upstreams match. */
export function defaultCatalog(
  matches: (upstream: DefaultUpstream) => boolean = () => true,
): DefaultCatalog {
  const upstreams = DEFAULT_UPSTREAMS.filter(matches);
  const ids = new Set(upstreams.map(({ id }) => id));
  const models = DEFAULT_MODELS.filter(({ upstream }) => ids.has(upstream));
  return { upstreams, models, tiers: defaultTiers(models) };
}

function isKeyPreset(preset: UpstreamPreset): preset is KeyPreset {
  return "apiKeyEnv" in preset;
}
