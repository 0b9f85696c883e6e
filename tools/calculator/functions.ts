import { ToolError } from "../tool.ts";
import { exponential, logarithm, naturalLogarithm, power, root } from "./power.ts";
import {
  add,
  compare,
  divide,
  floor,
  fraction,
  fromDouble,
  gcd,
  integer,
  isInteger,
  MAX_DIGITS,
  multiply,
  nearestInteger,
  negate,
  outOfRange,
  powerOfTen,
  type Rational,
  subtract,
  toDouble,
} from "./rational.ts";

/** A function of the calculator. */
export interface CalculatorFunction {
  /** Smallest number of arguments. */
  readonly min: number;
  /** Largest number of arguments. */
  readonly max: number;
  /** Computes the value. */
  readonly of: (args: readonly Rational[]) => Rational;
}

const ZERO = integer(0);
const TEN = integer(10);
const LARGEST_ANGLE = 1e9;

const PI: Rational = {
  num: 3141592653589793238462643383279502884197n,
  den: powerOfTen(39),
  exact: false,
};
const TAU = multiply(integer(2), PI);

function undefinedResult(message: string): ToolError {
  return new ToolError(message, { code: "undefined_result" });
}

function unary(of: (value: Rational) => Rational): CalculatorFunction {
  return { min: 1, max: 1, of: ([value = ZERO]) => of(value) };
}

function binary(of: (one: Rational, other: Rational) => Rational): CalculatorFunction {
  return { min: 2, max: 2, of: ([one = ZERO, other = ZERO]) => of(one, other) };
}

function variadic(of: (values: readonly Rational[]) => Rational): CalculatorFunction {
  return { min: 1, max: Infinity, of };
}

/** Returns an argument that must be an integer. Throws a `ToolError` otherwise. */
function whole(value: Rational, of: string): bigint {
  if (isInteger(value)) return value.num;
  throw undefinedResult(`Cannot compute ${of} of a number that is not an integer`);
}

function isExact(values: readonly Rational[]): boolean {
  return values.every(({ exact }) => exact);
}

function trunc(value: Rational): Rational {
  return { ...value, num: value.num / value.den, den: 1n };
}

/** Rounds to decimal places; halves go away from zero: 2.5 becomes 3 and -2.5 becomes -3. */
function round(value: Rational, places: Rational): Rational {
  const count = Number(whole(places, "round() to a number of places"));
  if (Math.abs(count) > MAX_DIGITS) throw outOfRange("The number of places");
  const scale = powerOfTen(Math.abs(count));
  const { num, den, exact } = value;
  return count >= 0
    ? fraction(nearestInteger(num * scale, den), scale, exact)
    : fraction(nearestInteger(num, den * scale) * scale, 1n, exact);
}

/** Returns the remainder with the sign of the divisor, so that `mod(-7, 3)` is 2. */
function mod(value: Rational, divisor: Rational): Rational {
  return subtract(value, multiply(divisor, floor(divide(value, divisor))));
}

/** Returns the remainder with the sign of the dividend, as the operator `%`: `-7 % 3` is -1. */
export function remainder(value: Rational, divisor: Rational): Rational {
  return subtract(value, multiply(divisor, trunc(divide(value, divisor))));
}

/** Returns `n!` of an integer that is not negative. */
export function factorial(value: Rational): Rational {
  const count = whole(value, "the factorial");
  if (count < 0n) throw undefinedResult("Cannot compute the factorial of a negative number");
  const digits = toDouble(value) * (Math.log10(toDouble(value) + 1) - Math.LOG10E);
  if (digits > MAX_DIGITS) throw outOfRange("The factorial");
  let product = 1n;
  for (let factor = 2n; factor <= count; factor++) product *= factor;
  return fraction(product, 1n, value.exact);
}

/** Returns the number of ways to choose `some` of `all`. */
function choose(all: Rational, some: Rational): Rational {
  const total = whole(all, "choose()");
  const wanted = whole(some, "choose()");
  if (total < 0n || wanted < 0n) throw undefinedResult("Cannot choose() with negative numbers");
  const exact = all.exact && some.exact;
  if (wanted > total) return { ...ZERO, exact };
  const count = wanted > total - wanted ? total - wanted : wanted;
  // Each factor is at least two.
  if (count > MAX_DIGITS * 4) throw outOfRange("The number of choices");
  let ways = 1n;
  for (let index = 1n; index <= count; index++) {
    ways = ways * (total - count + index) / index;
    if (index % 64n === 0n) fraction(ways, 1n, true);
  }
  return fraction(ways, 1n, exact);
}

function sum(values: readonly Rational[]): Rational {
  return values.reduce(add, ZERO);
}

function mean(values: readonly Rational[]): Rational {
  return divide(sum(values), integer(values.length));
}

function extreme(values: readonly Rational[], sign: 1 | -1): Rational {
  const result = values.reduce((best, next) => compare(next, best) * sign > 0 ? next : best);
  return { ...result, exact: isExact(values) };
}

function median(values: readonly Rational[]): Rational {
  const sorted = values.toSorted(compare);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? ZERO;
  const result = sorted.length % 2 === 1 ? upper : mean([sorted[middle - 1] ?? ZERO, upper]);
  return { ...result, exact: isExact(values) };
}

function commonDivisor(values: readonly Rational[]): Rational {
  const result = values.reduce((divisor, next) => gcd(divisor, whole(next, "gcd()")), 0n);
  return { num: result, den: 1n, exact: isExact(values) };
}

function commonMultiple(values: readonly Rational[]): Rational {
  return values.reduce((multiple, next) => {
    const factor = whole(next, "lcm()");
    const divisor = gcd(multiple.num, factor);
    if (divisor === 0n) return ZERO;
    const num = multiple.num / divisor * factor;
    return fraction(num < 0n ? -num : num, 1n, multiple.exact && next.exact);
  }, integer(1));
}

/** Returns a function that JavaScript computes in double precision. */
function double(name: string, compute: (value: number) => number): CalculatorFunction {
  return unary((value) => {
    const result = compute(toDouble(value));
    if (Number.isNaN(result)) {
      throw undefinedResult(`Cannot compute ${name}() there: the result is not a real number`);
    }
    if (!Number.isFinite(result)) throw outOfRange(`The result of ${name}()`);
    return fromDouble(result);
  });
}

/**
 * Returns the sine of an angle in radians. The angle is first reduced towards zero: doubles of
 * large angles, and of those near half a turn, have too few digits.
 */
function sine(angle: Rational): Rational {
  if (Math.abs(toDouble(angle)) > LARGEST_ANGLE) {
    throw new ToolError(`Cannot compute with an angle of more than ${LARGEST_ANGLE} radians`, {
      code: "out_of_range",
    });
  }
  const turns = divide(angle, PI);
  const halves = nearestInteger(turns.num, turns.den);
  const remainder = halves === 0n ? angle : subtract(angle, multiply(integer(halves), PI));
  const result = fromDouble(Math.sin(toDouble(remainder)));
  return halves % 2n === 0n ? result : negate(result);
}

function cosine(angle: Rational): Rational {
  return sine(add(angle, divide(PI, integer(2))));
}

function tangent(angle: Rational): Rational {
  const divisor = cosine(angle);
  if (divisor.num === 0n) throw undefinedResult("Cannot compute tan() there: it has no value");
  return divide(sine(angle), divisor);
}

/** Named constants; none of them is exact. */
export const CONSTANTS: ReadonlyMap<string, Rational> = new Map([
  ["pi", PI],
  ["π", PI],
  ["tau", TAU],
  ["e", { num: 2718281828459045235360287471352662497757n, den: powerOfTen(39), exact: false }],
  ["phi", divide(add(integer(1), root(integer(5), 2n)), integer(2))],
]);

/** The functions by name. */
export const FUNCTIONS: ReadonlyMap<string, CalculatorFunction> = new Map([
  ["abs", unary((value) => value.num < 0n ? negate(value) : value)],
  ["sign", unary(({ num, exact }) => ({ ...integer(num < 0n ? -1 : num > 0n ? 1 : 0), exact }))],
  ["floor", unary(floor)],
  ["ceil", unary((value) => negate(floor(negate(value))))],
  ["trunc", unary(trunc)],
  ["round", { min: 1, max: 2, of: ([value = ZERO, places = ZERO]) => round(value, places) }],
  ["min", variadic((values) => extreme(values, -1))],
  ["max", variadic((values) => extreme(values, 1))],
  ["sum", variadic(sum)],
  ["mean", variadic(mean)],
  ["avg", variadic(mean)],
  ["median", variadic(median)],
  ["gcd", variadic(commonDivisor)],
  ["lcm", variadic(commonMultiple)],
  ["mod", binary(mod)],
  ["factorial", unary(factorial)],
  ["choose", binary(choose)],
  ["pow", binary(power)],
  ["sqrt", unary((value) => root(value, 2n))],
  ["cbrt", unary((value) => root(value, 3n))],
  ["root", binary((value, degree) => root(value, whole(degree, "a root of the degree")))],
  ["exp", unary(exponential)],
  ["ln", unary(naturalLogarithm)],
  ["log", { min: 1, max: 2, of: ([value = ZERO, base = TEN]) => logarithm(value, base) }],
  ["log10", unary((value) => logarithm(value, TEN))],
  ["log2", unary((value) => logarithm(value, integer(2)))],
  ["radians", unary((degrees) => divide(multiply(degrees, PI), integer(180)))],
  ["degrees", unary((radians) => divide(multiply(radians, integer(180)), PI))],
  ["sin", unary(sine)],
  ["cos", unary(cosine)],
  ["tan", unary(tangent)],
  ["asin", double("asin", Math.asin)],
  ["acos", double("acos", Math.acos)],
  ["atan", double("atan", Math.atan)],
  ["sinh", double("sinh", Math.sinh)],
  ["cosh", double("cosh", Math.cosh)],
  ["tanh", double("tanh", Math.tanh)],
]);
