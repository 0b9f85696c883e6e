/**
 * Amounts of money. Integers only: one credit is a million micros, held in a `bigint`.
 *
 * @module
 */

/** An amount in micros. */
export type Micros = bigint;

/** Micros in one credit. */
export const MICROS_PER_CREDIT = 1_000_000n;

/** Maximum decimal places of an amount, trailing zeros included. */
const MOST_PLACES = 18;
const DECIMAL = /^(\d{1,15})(?:\.(\d{1,18}))?$/;

/**
 * Parses a plain non-negative decimal (`0.25`, `1000`) as an integer of `scale` decimal places.
 * Returns `undefined` for other text and for more places than `scale`.
 */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = "", fraction = ""] = match;
  const places = fraction.replace(/0+$/, "");
  if (places.length > scale) return undefined;
  return BigInt(whole + places.padEnd(scale, "0"));
}

/**
 * Returns the source of a regular expression for the text that `parseDecimal` accepts, without
 * flags or look-around. `scale` is at least 1; zeros beyond it are accepted.
 */
export function decimalPattern(scale: number): string {
  return `^\\d{1,15}(?:\\.\\d{1,${scale}}0{0,${MOST_PLACES - scale}})?$`;
}

/** Parses credits (`12.5`) as micros; `undefined` for text that is no amount of credits. */
export function parseCredits(text: string): Micros | undefined {
  return parseDecimal(text, 6);
}

/** Formats micros as credits with six places: `412000n` is `0.412000`. */
export function formatCredits(amount: Micros): string {
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, "0");
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Returns the quotient of two non-negative integers, rounded up. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Returns the smaller of two amounts. */
export function minMicros(a: Micros, b: Micros): Micros {
  return a < b ? a : b;
}
