/**
 * Prices of `@pydantic/genai-prices`. The package is imported when it is first needed: it takes
 * some 80 ms and 20 MB, and a configuration with all prices never needs it.
 *
 * @module
 */

import type { Price } from "../domain/ledger/pricing.ts";

/** The edition of the price list that is part of this program, and the date of its publication. */
export const PRICE_LIST = {
  name: "@pydantic/genai-prices",
  version: "0.1.8",
  publishedAt: "2026-09-23",
} as const;

/** List price and context length of a model. */
export interface ListedModel {
  /** The list's name of the model: provider and model. */
  readonly entry: string;
  /** True when the list says that the provider will remove the model. */
  readonly deprecated: boolean;
  readonly price: Price;
  /** Absent where it is unknown. */
  readonly contextTokens: number | undefined;
}

/** The seller of a model: the provider's name in the price list, or its address. */
export interface PriceSource {
  readonly providerId?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Time that the price is for, in Unix milliseconds. */
  readonly nowMs: number;
  /** True for a model that only embeds: it has no output to price. @default {false} */
  readonly embeds?: boolean | undefined;
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

/**
 * Returns the list price of a model; `undefined` where the list has no complete one. If it depends
 * on the time of day, the highest of the next 24 hours; if it rises with the length of the input,
 * the price of short inputs, with a context that ends where the price rises.
 */
export async function listPrice(
  upstreamModel: string,
  source: PriceSource,
): Promise<ListedModel | undefined> {
  const where = {
    ...(source.providerId === undefined ? {} : { providerId: source.providerId }),
    ...(source.baseUrl === undefined ? {} : { providerApiUrl: source.baseUrl }),
  };
  if (Object.keys(where).length === 0) return undefined;
  const { calcPrice } = await import("@pydantic/genai-prices");

  let dearest: ListedModel | undefined;
  for (let hour = 0; hour < HOURS; hour++) {
    const timestamp = new Date(source.nowMs + hour * HOUR_MS);
    const result = calcPrice({}, upstreamModel, { ...where, timestamp });
    if (result === null) return undefined;
    const limits = pricedModel(result.model_price, {
      window: result.model.context_window,
      embeds: source.embeds === true,
    });
    if (limits === undefined) return undefined;
    const entry = `${result.provider.id}/${result.model.id}`;
    const listed = { entry, deprecated: result.model.deprecated === true, ...limits };
    // A fixed price is equal at every hour.
    if (!Array.isArray(result.model.prices)) return listed;
    const dearer = dearest === undefined ||
      Number(listed.price.outputPerMTok) > Number(dearest.price.outputPerMTok);
    if (dearer) dearest = listed;
  }
  return dearest;
}

type Listed = number | { readonly base: number; readonly tiers: readonly { start: number }[] };

function pricedModel(
  prices: Readonly<Record<string, Listed | undefined>>,
  { window, embeds }: { readonly window: number | undefined; readonly embeds: boolean },
): Pick<ListedModel, "price" | "contextTokens"> | undefined {
  const { input_mtok: input, cache_read_mtok: cached, input_image_mtok: seen } = prices;
  const { cache_write_mtok: written } = prices;
  // Models that draw have few text tokens, at a lower price.
  const output = prices.output_image_mtok ?? prices.output_mtok ?? (embeds ? 0 : undefined);
  if (input === undefined || output === undefined) return undefined;
  const rise = Math.min(...[input, output].map(riseOf));
  const contextTokens = Math.min(window ?? Infinity, rise);
  return {
    price: {
      inputPerMTok: decimal(baseOf(input)),
      ...(cached === undefined ? {} : { cachedInputPerMTok: decimal(baseOf(cached)) }),
      ...(written === undefined ? {} : { cacheWriteInputPerMTok: decimal(baseOf(written)) }),
      ...(seen === undefined ? {} : { imageInputPerMTok: decimal(baseOf(seen)) }),
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

/** Formats dollars as a decimal string, without exponent or trailing zeros. */
function decimal(dollars: number): string {
  return dollars.toFixed(9).replace(/\.?0+$/, "");
}
