/**
 * From tokens to micro-credits: decimal list prices, frozen as integers when a hold is taken.
 *
 * @module
 */

import { InvariantError } from "../invariant.ts";
import { divideUp, type Micros, parseDecimal } from "./money.ts";

/** List price of a model in dollars, as decimal strings with at most nine places. */
export interface Price {
  /** Dollars for a million input tokens. */
  readonly inputPerMTok: string;
  /** Dollars for a million input tokens read from the provider's cache. @default {inputPerMTok} */
  readonly cachedInputPerMTok?: string | undefined;
  /**
   * Dollars for a million input tokens that the provider writes into its cache.
   * @default {inputPerMTok}
   */
  readonly cacheWriteInputPerMTok?: string | undefined;
  /** Dollars for a million input tokens that are of images. @default {inputPerMTok} */
  readonly imageInputPerMTok?: string | undefined;
  /** Dollars for a million output tokens, reasoning included; of images, where it draws. */
  readonly outputPerMTok: string;
  /** Dollars for one image. @default {"0"} */
  readonly perImage?: string | undefined;
  /**
   * Dollars for one search of the web that the model's upstream runs itself.
   * @default {OpenAI's list price}
   */
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
  /** Input tokens that are of images. @default {0} */
  readonly imageInputTokens?: number | undefined;
  /** Images drawn. @default {0} */
  readonly images?: number | undefined;
}

/**
 * A price at a tier's exchange rate, in 10^-15 micro-credits for one token or image, with the
 * catalog version it was read from. Frozen into the hold: later price changes do not touch it.
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

// Dollars per million tokens times credits per dollar is micro-credits per token, since a million
// cancels a million. So the scales of the two factors are all that is left to divide by.
const UNITS_PER_MICRO = 10n ** BigInt(PRICE_PLACES + RATE_PLACES);
const TOKENS_PER_PRICED_UNIT = 1_000_000n;

/** Freezes a price at a tier's rate; `undefined` where a price or the rate is not such a decimal. */
export function freezePrice(
  price: Price,
  creditsPerUsd: string,
  options: { version: number },
): FrozenPrice | undefined {
  const rate = parseDecimal(creditsPerUsd, RATE_PLACES);
  const input = parseDecimal(price.inputPerMTok, PRICE_PLACES);
  const cached = parseDecimal(price.cachedInputPerMTok ?? price.inputPerMTok, PRICE_PLACES);
  const written = parseDecimal(price.cacheWriteInputPerMTok ?? price.inputPerMTok, PRICE_PLACES);
  const imageInput = parseDecimal(price.imageInputPerMTok ?? price.inputPerMTok, PRICE_PLACES);
  const output = parseDecimal(price.outputPerMTok, PRICE_PLACES);
  const image = parseDecimal(price.perImage ?? "0", PRICE_PLACES);
  if (
    rate === undefined || input === undefined || cached === undefined ||
    written === undefined || imageInput === undefined || output === undefined || image === undefined
  ) {
    return undefined;
  }
  return {
    version: options.version,
    input: input * rate,
    cachedInput: cached * rate,
    cacheWriteInput: written * rate,
    imageInput: imageInput * rate,
    output: output * rate,
    image: image * rate * TOKENS_PER_PRICED_UNIT,
  };
}

/** A price in dollars at a tier's rate, rounded up; `undefined` where either is no such decimal. */
export function feeOf(dollars: string, creditsPerUsd: string): Micros | undefined {
  const price = parseDecimal(dollars, PRICE_PLACES);
  const rate = parseDecimal(creditsPerUsd, RATE_PLACES);
  if (price === undefined || rate === undefined) return undefined;
  return divideUp(price * rate * TOKENS_PER_PRICED_UNIT, UNITS_PER_MICRO);
}

/** Charge of one upstream call in micro-credits: rounded once, up. */
export function chargeOf(usage: Usage, price: FrozenPrice): Micros {
  const { cacheWriteInputTokens = 0 } = usage;
  const fresh = usage.inputTokens - usage.cachedInputTokens - cacheWriteInputTokens;
  if (fresh < 0) {
    throw new InvariantError(
      `Cached input of ${usage.cachedInputTokens} and ${cacheWriteInputTokens} tokens exceeds ` +
        `input of ${usage.inputTokens}`,
    );
  }
  // Which of the cached tokens are of images nobody reports: those that are left over.
  const ofImages = Math.min(usage.imageInputTokens ?? 0, fresh);
  let units = BigInt(fresh - ofImages) * price.input + BigInt(usage.outputTokens) * price.output;
  // Of most calls there is none of these, and each would be four numbers more on the heap.
  if (ofImages > 0) units += BigInt(ofImages) * price.imageInput;
  if (usage.cachedInputTokens > 0) units += BigInt(usage.cachedInputTokens) * price.cachedInput;
  if (cacheWriteInputTokens > 0) units += BigInt(cacheWriteInputTokens) * price.cacheWriteInput;
  if (usage.images !== undefined && usage.images > 0) units += BigInt(usage.images) * price.image;
  return divideUp(units, UNITS_PER_MICRO);
}

/**
 * Most output tokens that `amount` buys beside the given input; `undefined` where output is free,
 * negative never: `0` where not even the input is covered.
 */
export function affordableOutputTokens(
  amount: Micros,
  input: Pick<Usage, "inputTokens">,
  price: FrozenPrice,
): number | undefined {
  if (price.output === 0n) return undefined;
  const left = amount * UNITS_PER_MICRO - BigInt(input.inputTokens) * dearestInput(price);
  if (left <= 0n) return 0;
  const tokens = left / price.output;
  return tokens > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(tokens);
}

/** Output tokens that cost `amount` without any input; `undefined` where output is free. */
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
