/**
 * Converts tokens to micros: decimal list prices, frozen as integers in a hold.
 *
 * @module
 */

import { InvariantError } from "../invariant.ts";
import { divideUp, type Micros, parseDecimal } from "./money.ts";

/** List price of a model in dollars, as decimal strings with at most nine places. */
export interface Price {
  /** Dollars per million input tokens. */
  readonly inputPerMTok: string;
  /** Dollars per million input tokens read from the provider's cache. @default {inputPerMTok} */
  readonly cachedInputPerMTok?: string | undefined;
  /**
   * Dollars per million input tokens that the provider writes into its cache.
   * @default {inputPerMTok}
   */
  readonly cacheWriteInputPerMTok?: string | undefined;
  /** Dollars per million input tokens of images. @default {inputPerMTok} */
  readonly imageInputPerMTok?: string | undefined;
  /**
   * Dollars per million output tokens, reasoning included; for models that draw, tokens of images.
   */
  readonly outputPerMTok: string;
  /** Dollars for one image. @default {"0"} */
  readonly perImage?: string | undefined;
  /** Dollars for one web search that the upstream runs itself. @default {OpenAI's list price} */
  readonly perWebSearch?: string | undefined;
  /** Always `USD`. */
  readonly currency: "USD";
}

/**
 * Token counts of one upstream call. Input read from the cache, input written into it, and image
 * input are parts of the input; the first two have no token in common.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Input tokens that the provider wrote into its cache. @default {0} */
  readonly cacheWriteInputTokens?: number | undefined;
  /** Input tokens of images. @default {0} */
  readonly imageInputTokens?: number | undefined;
  /** Images drawn. @default {0} */
  readonly images?: number | undefined;
}

/**
 * A price at a tier's exchange rate, in 10^-15 micros per token or image, with the catalog version
 * of its source. Frozen into the hold: later price changes do not affect it.
 */
export interface FrozenPrice {
  readonly version: number;
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWriteInput: bigint;
  readonly imageInput: bigint;
  readonly output: bigint;
  readonly image: bigint;
}

/** Decimal places of a list price. */
export const PRICE_PLACES = 9;
/** Decimal places of a tier's credits per dollar. */
export const RATE_PLACES = 6;

// Dollars per million tokens times credits per dollar is micros per token: the millions cancel.
// Only the scales of the two factors remain to divide by.
const UNITS_PER_MICRO = 10n ** BigInt(PRICE_PLACES + RATE_PLACES);
const TOKENS_PER_PRICED_UNIT = 1_000_000n;

/** Units of a frozen price in one credit: for comparison in floating point, never for charging. */
export const PRICE_UNITS_PER_CREDIT = Number(UNITS_PER_MICRO) * 1_000_000;

/** Freezes a price at a tier's rate; `undefined` when a price or the rate is no valid decimal. */
export function freezePrice(
  price: Price,
  creditsPerUsd: string,
  options: { version: number },
): FrozenPrice | undefined {
  const rate = parseDecimal(creditsPerUsd, RATE_PLACES);
  const input = parseDecimal(price.inputPerMTok, PRICE_PLACES);
  const cached = parseDecimal(price.cachedInputPerMTok ?? price.inputPerMTok, PRICE_PLACES);
  const cacheWriteInput = parseDecimal(
    price.cacheWriteInputPerMTok ?? price.inputPerMTok,
    PRICE_PLACES,
  );
  const imageInput = parseDecimal(price.imageInputPerMTok ?? price.inputPerMTok, PRICE_PLACES);
  const output = parseDecimal(price.outputPerMTok, PRICE_PLACES);
  const image = parseDecimal(price.perImage ?? "0", PRICE_PLACES);
  if (
    rate === undefined || input === undefined || cached === undefined ||
    cacheWriteInput === undefined || imageInput === undefined || output === undefined ||
    image === undefined
  ) {
    return undefined;
  }
  return {
    version: options.version,
    input: input * rate,
    cachedInput: cached * rate,
    cacheWriteInput: cacheWriteInput * rate,
    imageInput: imageInput * rate,
    output: output * rate,
    image: image * rate * TOKENS_PER_PRICED_UNIT,
  };
}

/**
 * Returns a price in dollars at a tier's rate, rounded up; `undefined` when either is no valid
 * decimal.
 */
export function feeOf(dollars: string, creditsPerUsd: string): Micros | undefined {
  const price = parseDecimal(dollars, PRICE_PLACES);
  const rate = parseDecimal(creditsPerUsd, RATE_PLACES);
  if (price === undefined || rate === undefined) return undefined;
  return divideUp(price * rate * TOKENS_PER_PRICED_UNIT, UNITS_PER_MICRO);
}

/** Returns the charge of one upstream call, rounded once, up. */
export function chargeOf(usage: Usage, price: FrozenPrice): Micros {
  const { cacheWriteInputTokens = 0 } = usage;
  const fresh = usage.inputTokens - usage.cachedInputTokens - cacheWriteInputTokens;
  if (fresh < 0) {
    throw new InvariantError(
      `Cached input of ${usage.cachedInputTokens} and ${cacheWriteInputTokens} tokens exceeds ` +
        `input of ${usage.inputTokens}`,
    );
  }
  // No provider reports which cached tokens are of images: they are the remaining ones.
  const ofImages = Math.min(usage.imageInputTokens ?? 0, fresh);
  let units = BigInt(fresh - ofImages) * price.input + BigInt(usage.outputTokens) * price.output;
  // Most calls have none of these; adding zeros would allocate four more numbers.
  if (ofImages > 0) units += BigInt(ofImages) * price.imageInput;
  if (usage.cachedInputTokens > 0) units += BigInt(usage.cachedInputTokens) * price.cachedInput;
  if (cacheWriteInputTokens > 0) units += BigInt(cacheWriteInputTokens) * price.cacheWriteInput;
  if (usage.images !== undefined && usage.images > 0) units += BigInt(usage.images) * price.image;
  return divideUp(units, UNITS_PER_MICRO);
}

/**
 * Returns the maximum output tokens that `amount` pays for beside the given input; `undefined` when
 * output is free. Never negative: `0` when the amount does not cover the input.
 */
export function affordableOutputTokens(
  amount: Micros,
  input: Pick<Usage, "inputTokens">,
  price: FrozenPrice,
): number | undefined {
  if (price.output === 0n) return undefined;
  const remaining = amount * UNITS_PER_MICRO - BigInt(input.inputTokens) * dearestInput(price);
  if (remaining <= 0n) return 0;
  const tokens = remaining / price.output;
  return tokens > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(tokens);
}

/**
 * Returns the output tokens that cost `amount` without any input; `undefined` when output is free.
 */
export function outputTokensFor(amount: Micros, price: FrozenPrice): number | undefined {
  if (price.output === 0n) return undefined;
  const tokens = divideUp(amount * UNITS_PER_MICRO, price.output);
  return tokens > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(tokens);
}

function dearestInput(price: FrozenPrice): bigint {
  const { cacheWriteInput, cachedInput, imageInput, input } = price;
  const text = input > imageInput ? input : imageInput;
  const cached = cachedInput > cacheWriteInput ? cachedInput : cacheWriteInput;
  return text > cached ? text : cached;
}
