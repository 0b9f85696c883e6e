/**
 * The catalog that comes with the gateway: current models of the providers that one environment
 * variable is enough for. It is a configuration file like any other, in `default_catalog.json`, to
 * be copied and changed.
 *
 * - **Models** are those that the price list prices and does not mark as deprecated; it is some weeks
 *   behind the providers. Prices and lengths are left to it; what it does not know is as the provider
 *   states it. Where a price rises with the length of the input, the context ends where it rises.
 * - **Quality** is the model's step in its own provider's line-up, as the provider describes it, and
 *   no measurement: 0.45 the smallest, 0.6 small and quick, 0.75 the middle, 0.85 large, 0.95 the
 *   flagship. Two models of one step are told apart by their prices. Operators know their own
 *   prompts better: the figures are meant to be overridden.
 * - **Industry packs** say what a model suits by what it can do, and certify nothing. `support`:
 *   cheap or quick enough for many conversations. `education`: likewise, and explains well enough.
 *   `software`: made for code, or reasons and calls tools. `finance` and `legal`: from the middle
 *   upwards, with a context for long documents. `media`: draws.
 * - **Output limits** are what the providers' pages of their models state: 131,072 at Z.ai, and at
 *   Moonshot unless more is asked for. The price list has none. Mistral and xAI name the context
 *   alone, Alibaba differs by host: there it is 131,072, too, and what is written beyond is cut. For
 *   images it is well above the 6,240 tokens that OpenAI's guide gives for the largest.
 * - **`outputLimitField`** is the field that the providers' references of Chat Completions name.
 *
 * @module
 */

import type { Tier } from "../domain/catalog/catalog.ts";
import file from "./default_catalog.json" with { type: "json" };
import { defaultTiers } from "./default_tiers.ts";

/** What chooses an upstream of the default catalog. */
export interface DefaultUpstream {
  readonly id: string;
  readonly apiKeyEnv: string;
}

/** The default catalog or a part of it: what a configuration file could say. */
export interface DefaultCatalog {
  readonly upstreams: readonly DefaultUpstream[];
  readonly models: readonly {
    readonly id: string;
    readonly upstream: string;
    readonly quality: number;
  }[];
  readonly tiers: readonly Tier[];
}

/** The upstreams of the default catalog. */
export const DEFAULT_UPSTREAMS: readonly DefaultUpstream[] = file.upstreams;

/** The part of the default catalog whose upstreams are wanted. */
export function defaultCatalog(
  wanted: (upstream: DefaultUpstream) => boolean = () => true,
): DefaultCatalog {
  const chosen = file.upstreams.filter(wanted);
  const ids = new Set(chosen.map(({ id }) => id));
  const models = file.models.filter(({ upstream }) => ids.has(upstream));
  return { upstreams: chosen, models, tiers: defaultTiers(models) };
}
