import { ToolError } from "../tool.ts";
import {
  bitsOf,
  compare,
  divide,
  floor,
  fraction,
  fromDouble,
  integer,
  isInteger,
  KEPT_DIGITS,
  leadingExponent,
  MAX_DIGITS,
  multiply,
  negate,
  outOfRange,
  powerOfTen,
  type Rational,
  subtract,
  toDouble,
  toSignificant,
} from "./rational.ts";

const ONE = integer(1);
const MAX_EXACT_BITS = 20_000;
const MAX_ROUNDED_EXPONENT = 10n ** 20n;
/** Decimal places of the distance from 1 within which a logarithm equals that distance. */
const NEAR_ONE = 20;
const LN_10: Rational = {
  num: 23025850929940456840179914546843642076011014886288n,
  den: powerOfTen(49),
  exact: false,
};
/** Largest degree of roots that are computed on integers. */
const MAX_DEGREE = 100n;

function undefinedResult(message: string): ToolError {
  return new ToolError(message, { code: "undefined_result" });
}

/**
 * Returns the largest integer whose power of `degree` is at most `value`, which is not negative.
 */
function floorRoot(value: bigint, degree: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << (BigInt(bitsOf(value)) / degree + 1n);
  for (;;) {
    const next = ((degree - 1n) * guess + value / guess ** (degree - 1n)) / degree;
    if (next >= guess) return guess;
    guess = next;
  }
}

/**
 * Returns a root: exact when it is a fraction, else to {@linkcode KEPT_DIGITS} digits.
 *
 * @throws {ToolError} There is no real one, or the degree is not positive.
 */
export function root(value: Rational, degree: bigint): Rational {
  if (degree < 1n) throw undefinedResult(`Cannot take the root of degree ${degree}: expected 1 up`);
  if (value.num < 0n) {
    if (degree % 2n === 1n) return negate(root(negate(value), degree));
    throw undefinedResult("Cannot take an even root of a negative number: the result is not real");
  }
  if (value.num === 0n) return value;
  if (degree > MAX_DEGREE) return exponential(divide(naturalLogarithm(value), integer(degree)));
  const { num, den, exact } = value;
  const above = floorRoot(num, degree);
  const below = floorRoot(den, degree);
  if (above ** degree === num && below ** degree === den) return { num: above, den: below, exact };
  const exponent = Math.floor(leadingExponent(num, den) / Number(degree));
  const places = Math.max(0, KEPT_DIGITS + 2 - exponent);
  const scaled = num * powerOfTen(places * Number(degree)) / den;
  return fraction(floorRoot(scaled, degree), powerOfTen(places), false);
}

/**
 * Returns a power with an integer exponent. It rounds at each step, with more digits than the steps
 * lose.
 */
function roundedPower(base: Rational, exponent: bigint): Rational {
  const digits = 2 * KEPT_DIGITS;
  const round = (num: bigint, den: bigint) => toSignificant({ num, den, exact: false }, digits);
  let result = round(1n, 1n);
  let square = round(base.num, base.den);
  for (let remaining = exponent; remaining > 0n; remaining >>= 1n) {
    if ((remaining & 1n) === 1n) result = round(result.num * square.num, result.den * square.den);
    if (remaining > 1n) square = round(square.num * square.num, square.den * square.den);
  }
  return fraction(result.num, result.den, false);
}

/** Refuses a power before its computation when it would be out of range. */
function checkSize(base: Rational, exponent: Rational): void {
  const digits = toDouble(multiply(exponent, naturalLogarithm(base))) / Math.LN10;
  if (Math.abs(digits) > MAX_DIGITS) {
    throw outOfRange(digits > 0 ? "The power" : "The power's reciprocal");
  }
}

function integerPower(base: Rational, exponent: Rational): Rational {
  const times = exponent.num < 0n ? -exponent.num : exponent.num;
  // Only for bases near 1 are such powers within range.
  if (times > MAX_ROUNDED_EXPONENT) return exponential(multiply(exponent, naturalLogarithm(base)));
  const power = (): Rational => {
    const bits = Math.max(bitsOf(base.num), bitsOf(base.den)) * Number(times);
    const isLong = bits > MAX_EXACT_BITS && base.den !== 1n;
    if (!base.exact || !exponent.exact || isLong) return roundedPower(base, times);
    return fraction(base.num ** times, base.den ** times, true);
  };
  return exponent.num < 0n ? divide(ONE, power()) : power();
}

/**
 * Returns a power: exact when it is a fraction of moderate length.
 *
 * @throws {ToolError} It is not real, not defined, or out of range.
 */
export function power(base: Rational, exponent: Rational): Rational {
  const exact = base.exact && exponent.exact;
  if (exponent.num === 0n) return { ...ONE, exact };
  if (base.num === 0n) {
    if (exponent.num > 0n) return { ...base, exact };
    throw undefinedResult("Cannot raise zero to a negative power");
  }
  if (isInteger(base) && (base.num === 1n || base.num === -1n) && isInteger(exponent)) {
    return { num: exponent.num % 2n === 0n ? 1n : base.num, den: 1n, exact };
  }
  checkSize({ ...base, num: base.num < 0n ? -base.num : base.num }, exponent);
  if (isInteger(exponent)) return integerPower(base, exponent);
  if (base.num < 0n) {
    throw undefinedResult(
      "Cannot raise a negative number to a fractional power: for a real root use root(x, n)",
    );
  }
  if (exponent.exact && exponent.den <= MAX_DEGREE) {
    return integerPower(root(base, exponent.den), integer(exponent.num));
  }
  const whole = floor(exponent);
  const part = multiply(subtract(exponent, whole), naturalLogarithm(base));
  return multiply(power(base, whole), exponential(part));
}

/** Returns `e` to a power, in double precision. */
export function exponential(value: Rational): Rational {
  const digits = toDouble(value) / Math.LN10;
  if (Math.abs(digits) > MAX_DIGITS) throw outOfRange("The power");
  const tens = integer(Math.trunc(digits));
  const remainder = toDouble(subtract(value, multiply(tens, LN_10)));
  return multiply(fromDouble(Math.exp(remainder)), power(integer(10), tens));
}

/** Returns the natural logarithm of a positive number, in double precision. */
export function naturalLogarithm(value: Rational): Rational {
  if (value.num <= 0n) {
    throw undefinedResult("Cannot take the logarithm of a number that is not positive");
  }
  if (compare(value, ONE) === 0) return integer(0);
  const exponent = leadingExponent(value.num, value.den);
  // Near 1 the significant digits are those of the distance from 1.
  if (exponent === 0 || exponent === -1) {
    const distance = fraction(value.num - value.den, value.den, false);
    const isNear = leadingExponent(distance.num, distance.den) < -NEAR_ONE;
    return isNear ? distance : fromDouble(Math.log1p(toDouble(distance)));
  }
  const scaled = exponent > 0
    ? fraction(value.num, value.den * powerOfTen(exponent), true)
    : fraction(value.num * powerOfTen(-exponent), value.den, true);
  return fromDouble(Math.log(toDouble(scaled)) + exponent * Math.LN10);
}

/** Returns the logarithm to a base: exact when it is an integer, else in double precision. */
export function logarithm(value: Rational, base: Rational): Rational {
  const quotient = divide(naturalLogarithm(value), naturalLogarithm(base));
  const rounded: Rational = { ...quotient, exact: false };
  const nearest = Math.round(toDouble(quotient));
  if (!Number.isSafeInteger(nearest)) return rounded;
  const raised = power(base, integer(nearest));
  const isPower = raised.exact && value.exact && compare(raised, value) === 0;
  return isPower ? integer(nearest) : rounded;
}
