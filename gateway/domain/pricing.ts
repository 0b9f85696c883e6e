/**
 * From tokens to micro-credits: decimal list prices, frozen as integers when a hold is taken.
 *
 * @module
 */

import { invariant } from "./invariant.ts";
import { divideUp, type Micros, parseDecimal } from "./money.ts";

/** List price of a model in dollars, as decimal strings with at most nine places. */
export interface Price {
  /** Dollars for a million input tokens. */
  readonly inputPerMTok: string;
  /** Dollars for a million input tokens read from the provider's cache. @default {inputPerMTok} */
  readonly cachedInputPerMTok?: string | undefined;
  /** Dollars for a million input tokens that are of images. @default {inputPerMTok} */
  readonly imageInputPerMTok?: string | undefined;
  /** Dollars for a million output tokens, reasoning included; of images, where it draws. */
  readonly outputPerMTok: string;
  /** Dollars for one image. @default {"0"} */
  readonly perImage?: string | undefined;
  /** Always `USD`. */
  readonly currency: "USD";
}

/** Token counts of one upstream call. Cached input and image input are parts of the input. */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
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
  const imageInput = parseDecimal(price.imageInputPerMTok ?? price.inputPerMTok, PRICE_PLACES);
  const output = parseDecimal(price.outputPerMTok, PRICE_PLACES);
  const image = parseDecimal(price.perImage ?? "0", PRICE_PLACES);
  if (
    rate === undefined || input === undefined || cached === undefined ||
    imageInput === undefined || output === undefined || image === undefined
  ) {
    return undefined;
  }
  return {
    version: options.version,
    input: input * rate,
    cachedInput: cached * rate,
    imageInput: imageInput * rate,
    output: output * rate,
    image: image * rate * TOKENS_PER_PRICED_UNIT,
  };
}

/** Charge of one upstream call in micro-credits: rounded once, up. */
export function chargeOf(usage: Usage, price: FrozenPrice): Micros {
  invariant(
    usage.cachedInputTokens <= usage.inputTokens,
    `Cached input of ${usage.cachedInputTokens} tokens exceeds input of ${usage.inputTokens}`,
  );
  const fresh = usage.inputTokens - usage.cachedInputTokens;
  // Which of the cached tokens are of images nobody reports: those that are left over.
  const ofImages = Math.min(usage.imageInputTokens ?? 0, fresh);
  const units = BigInt(fresh - ofImages) * price.input +
    BigInt(ofImages) * price.imageInput +
    BigInt(usage.cachedInputTokens) * price.cachedInput +
    BigInt(usage.outputTokens) * price.output +
    BigInt(usage.images ?? 0) * price.image;
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

function dearestInput({ input, cachedInput, imageInput }: FrozenPrice): bigint {
  const text = input > cachedInput ? input : cachedInput;
  return text > imageInput ? text : imageInput;
}
