/**
 * What `@pydantic/genai-prices` knows of a model. Imported on first need: it costs some 80 ms and
 * 20 MB, and a configuration that states every price never pays for it.
 *
 * @module
 */

import type { Price } from "../domain/pricing.ts";

/** List price and length of a model. */
export interface ListedModel {
  readonly price: Price;
  /** Absent where it is not known. */
  readonly contextTokens: number | undefined;
}

/** Where a model is sold: by the provider's name in the price list, or by its address. */
export interface PriceSource {
  readonly providerId?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Unix time in milliseconds that the price is for. */
  readonly nowMs: number;
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

/**
 * List price of a model; `undefined` where the list has no complete one. Where it depends on the
 * time of day, the dearest of the coming day; where it rises with the length of the input, the
 * price of short ones, with a context that ends where it rises.
 */
export async function listPrice(
  upstreamModel: string,
  source: PriceSource,
): Promise<ListedModel | undefined> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const where = {
    ...(source.providerId === undefined ? {} : { providerId: source.providerId }),
    ...(source.baseUrl === undefined ? {} : { providerApiUrl: source.baseUrl }),
  };
  if (Object.keys(where).length === 0) return undefined;

  let dearest: ListedModel | undefined;
  for (let hour = 0; hour < HOURS; hour++) {
    const timestamp = new Date(source.nowMs + hour * HOUR_MS);
    const found = calcPrice({}, upstreamModel, { ...where, timestamp });
    if (found === null) return undefined;
    const listed = listedModel(found.model_price, found.model.context_window);
    if (listed === undefined) return undefined;
    const dearer = dearest === undefined ||
      Number(listed.price.outputPerMTok) > Number(dearest.price.outputPerMTok);
    if (dearer) dearest = listed;
  }
  return dearest;
}

type Listed = number | { readonly base: number; readonly tiers: readonly { start: number }[] };

function listedModel(
  prices: Readonly<Record<string, Listed | undefined>>,
  window: number | undefined,
): ListedModel | undefined {
  const { input_mtok: input, output_mtok: output, cache_read_mtok: cached } = prices;
  if (input === undefined || output === undefined) return undefined;
  const rise = Math.min(...[input, output].map(riseOf));
  const contextTokens = Math.min(window ?? Infinity, rise);
  return {
    price: {
      inputPerMTok: decimal(baseOf(input)),
      ...(cached === undefined ? {} : { cachedInputPerMTok: decimal(baseOf(cached)) }),
      outputPerMTok: decimal(baseOf(output)),
      currency: "USD",
    },
    contextTokens: contextTokens === Infinity ? undefined : contextTokens,
  };
}

function baseOf(listed: Listed): number {
  return typeof listed === "number" ? listed : listed.base;
}

function riseOf(listed: Listed): number {
  return typeof listed === "number"
    ? Infinity
    : Math.min(...listed.tiers.map((tier) => tier.start));
}

/** A number of dollars as a decimal string, without exponent or trailing zeros. */
function decimal(dollars: number): string {
  return dollars.toFixed(9).replace(/\.?0+$/, "");
}
