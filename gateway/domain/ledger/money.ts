/**
 * Amounts of money. Integers only: one credit is a million micro-credits, held in a `bigint`.
 *
 * @module
 */

/** An amount in micro-credits. */
export type Micros = bigint;

/** Micro-credits in one credit. */
export const MICROS_PER_CREDIT = 1_000_000n;

/** Most decimal places that are read, zeros at the end included. */
const MOST_PLACES = 18;
const DECIMAL = /^(\d{1,15})(?:\.(\d{1,18}))?$/;

/**
 * Reads a plain non-negative decimal (`0.25`, `1000`) as an integer of `scale` decimal places.
 * `undefined` where the text is anything else, or has more places than `scale` can hold.
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
 * A regular expression, as text, of what `parseDecimal` reads, without flags or look-around. `scale`
 * is 1 or more; zeros beyond so many places are read, too.
 */
export function decimalPattern(scale: number): string {
  return `^\\d{1,15}(?:\\.\\d{1,${scale}}0{0,${MOST_PLACES - scale}})?$`;
}

/** Reads credits (`12.5`) as micro-credits; `undefined` where the text is not an amount of credits. */
export function parseCredits(text: string): Micros | undefined {
  return parseDecimal(text, 6);
}

/** Writes micro-credits as credits with six places: `412000n` is `0.412000`. */
export function formatCredits(amount: Micros): string {
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, "0");
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** Quotient of two non-negative integers, rounded up. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** The smaller of two amounts. */
export function minMicros(a: Micros, b: Micros): Micros {
  return a < b ? a : b;
}
