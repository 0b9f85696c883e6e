import { ToolError } from "../tool.ts";

/** A number as a fraction in lowest terms with a positive denominator. */
export interface Rational {
  /** Numerator. */
  readonly num: bigint;
  /** Denominator. */
  readonly den: bigint;
  /** False when any step rounded. */
  readonly exact: boolean;
}

/** Largest number of digits before the point, or of zeros after it. */
export const MAX_DIGITS = 5_000;

/** Significant digits of a number that cannot be exact. */
export const KEPT_DIGITS = 40;

/** Significant digits of functions that are computed in double precision. */
export const DOUBLE_DIGITS = 15;

const MAX_BITS = Math.ceil(MAX_DIGITS * Math.log2(10));

/** Returns the bits of the magnitude of an integer, up to three too many. */
export function bitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString(16).length * 4;
}

/** Returns the error for a number that is too large or too small. */
export function outOfRange(what: string): ToolError {
  return new ToolError(`${what} has more than ${MAX_DIGITS} digits`, { code: "out_of_range" });
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** Returns the greatest common divisor of two integers, never negative. */
export function gcd(one: bigint, other: bigint): bigint {
  let [a, b] = [magnitude(one), magnitude(other)];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Returns an exact integer. */
export function integer(value: bigint | number): Rational {
  return { num: BigInt(value), den: 1n, exact: true };
}

/**
 * Returns a fraction in lowest terms. A fraction with too many digits is rounded and no longer
 * exact.
 *
 * @throws {ToolError} It is too large, or too near to zero.
 */
export function fraction(num: bigint, den: bigint, exact: boolean): Rational {
  const above = bitsOf(num);
  const below = bitsOf(den);
  if (Math.abs(above - below) > MAX_BITS && num !== 0n) throw outOfRange("The result");
  const isLong = den !== 1n && Math.max(above, below) > MAX_BITS;
  if (!exact || isLong) return rounded(num, den, { digits: KEPT_DIGITS, exact: false });
  return reduced(num, den, true);
}

function reduced(num: bigint, den: bigint, exact: boolean): Rational {
  const divisor = den === 1n ? 1n : gcd(num, den);
  return { num: num / divisor, den: den / divisor, exact };
}

/** Returns a power of ten. */
export function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Returns the integer nearest to a fraction; halves go away from zero. */
export function nearestInteger(num: bigint, den: bigint): bigint {
  const doubled = (2n * magnitude(num) + den) / (2n * den);
  return num < 0n ? -doubled : doubled;
}

/** Returns the exponent of the leading decimal digit: 2 for 123, -3 for 0.001. */
export function leadingExponent(num: bigint, den: bigint): number {
  const size = magnitude(num);
  const guess = size.toString().length - den.toString().length;
  const reaches = guess >= 0 ? size >= den * powerOfTen(guess) : size * powerOfTen(-guess) >= den;
  return reaches ? guess : guess - 1;
}

function rounded(
  num: bigint,
  den: bigint,
  { digits, exact }: { readonly digits: number; readonly exact: boolean },
): Rational {
  if (num === 0n) return { num, den: 1n, exact };
  const places = digits - 1 - leadingExponent(num, den);
  return places >= 0
    ? reduced(nearestInteger(num * powerOfTen(places), den), powerOfTen(places), exact)
    : { num: nearestInteger(num, den * powerOfTen(-places)) * powerOfTen(-places), den: 1n, exact };
}

/** Rounds a number to significant digits. */
export function toSignificant(value: Rational, digits: number): Rational {
  return rounded(value.num, value.den, { digits, exact: value.exact });
}

/** Returns the sum. For inexact numbers, a difference below their precision is zero. */
export function add(one: Rational, other: Rational): Rational {
  const num = one.num * other.den + other.num * one.den;
  const den = one.den * other.den;
  const exact = one.exact && other.exact;
  if (!exact && num !== 0n && one.num !== 0n) {
    const lost = leadingExponent(one.num, one.den) - leadingExponent(num, den);
    if (lost >= DOUBLE_DIGITS) return { num: 0n, den: 1n, exact };
  }
  return fraction(num, den, exact);
}

/** Returns the negative. */
export function negate(value: Rational): Rational {
  return { ...value, num: -value.num };
}

/** Returns the difference. */
export function subtract(one: Rational, other: Rational): Rational {
  return add(one, negate(other));
}

/** Returns the product. */
export function multiply(one: Rational, other: Rational): Rational {
  return fraction(one.num * other.num, one.den * other.den, one.exact && other.exact);
}

/**
 * Returns the quotient.
 *
 * @throws {ToolError} The divisor is zero.
 */
export function divide(one: Rational, other: Rational): Rational {
  if (other.num === 0n) throw new ToolError("Cannot divide by zero", { code: "undefined_result" });
  const sign = other.num < 0n ? -1n : 1n;
  return fraction(one.num * other.den * sign, one.den * other.num * sign, one.exact && other.exact);
}

/** Returns -1, 0 or 1 when the first number is less than, equal to or greater than the second. */
export function compare(one: Rational, other: Rational): number {
  const difference = one.num * other.den - other.num * one.den;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** True for a number without a fractional part. */
export function isInteger(value: Rational): boolean {
  return value.den === 1n;
}

/** Returns the greatest integer that is at most the number. */
export function floor({ num, den, exact }: Rational): Rational {
  const quotient = num / den;
  return { num: num < 0n && quotient * den !== num ? quotient - 1n : quotient, den: 1n, exact };
}

/** Returns the nearest double, or an infinity. */
export function toDouble(value: Rational): number {
  if (value.num === 0n) return 0;
  const exponent = leadingExponent(value.num, value.den);
  const { num, den } = toSignificant(value, 25);
  const scale = 24 - exponent;
  const digits = scale >= 0 ? num * powerOfTen(scale) / den : num / (den * powerOfTen(-scale));
  return Number(`${digits}e${-scale}`);
}

/** Returns a double as a number that is not exact. */
export function fromDouble(value: number): Rational {
  const [digits = "0", exponent = "0"] = value.toExponential(16).split("e");
  const places = 16 - Number(exponent);
  const num = BigInt(digits.replace(".", ""));
  return places >= 0
    ? reduced(num, powerOfTen(places), false)
    : { num: num * powerOfTen(-places), den: 1n, exact: false };
}
