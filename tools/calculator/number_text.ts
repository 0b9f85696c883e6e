import {
  DOUBLE_DIGITS,
  fraction,
  leadingExponent,
  MAX_DIGITS,
  outOfRange,
  powerOfTen,
  type Rational,
  toSignificant,
} from "./rational.ts";

/** A number in the calculator's output. */
export interface NumberText {
  /** Decimal digits; with an exponent when the number is very large or small and not exact. */
  readonly result: string;
  /** False: `result` is rounded. */
  readonly exact: boolean;
  /** The exact value as a fraction, for numbers without a finite decimal form. */
  readonly fraction?: string;
}

/** Decimal digits of a fraction such as 1/3. */
const FRACTION_DIGITS = 30;
const LONGEST_FRACTION = 60;
const MOST_PLACES = 1_000;
const MOST_LEADING_ZEROS = 20;

/** Parses a decimal number in the form `12.5e-3`, exactly. */
export function parseDecimal(text: string): Rational {
  const [mantissa = "", exponentText = "0"] = text.toLowerCase().split("e");
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_DIGITS) throw outOfRange("The number");
  const [units = "", decimals = ""] = mantissa.split(".");
  const places = decimals.length - exponent;
  const digits = BigInt(units + decimals || "0");
  return places >= 0
    ? fraction(digits, powerOfTen(places), true)
    : fraction(digits * powerOfTen(-places), 1n, true);
}

/**
 * Returns the decimal places of a fraction in lowest terms; `undefined` when they are infinite or
 * too many.
 */
function placesOf(den: bigint): number | undefined {
  const count = (factor: bigint): number => {
    let times = 0;
    for (; den % factor === 0n && times <= MOST_PLACES; times++) den /= factor;
    return times;
  };
  const places = Math.max(count(2n), count(5n));
  return den === 1n && places <= MOST_PLACES ? places : undefined;
}

/** Formats a number. */
export function describeNumber(value: Rational): NumberText {
  const { num, den, exact } = value;
  const places = placesOf(den);
  if (exact && places !== undefined) {
    const leading = num === 0n ? 0 : leadingExponent(num, den);
    const digits = (num * powerOfTen(places) / den).toString();
    const isTiny = leading < -MOST_LEADING_ZEROS;
    return { result: isTiny ? scientific(digits, leading) : plain(digits, places), exact };
  }
  const text = `${num}/${den}`;
  const isShort = exact && text.length <= LONGEST_FRACTION;
  const result = approximately(value, exact ? FRACTION_DIGITS : DOUBLE_DIGITS);
  return { result, exact: false, ...(isShort ? { fraction: text } : {}) };
}

/** Returns the number rounded to significant digits, without trailing zeros. */
function approximately(value: Rational, count: number): string {
  if (value.num === 0n) return "0";
  const { num, den } = toSignificant(value, count);
  const leading = leadingExponent(num, den);
  const shift = count - 1 - leading;
  const digits = shift >= 0 ? num * powerOfTen(shift) / den : num / powerOfTen(-shift);
  const isPlain = leading >= -6 && leading < 21;
  if (!isPlain) return scientific(digits.toString(), leading);
  if (shift < 0) return plain((digits * powerOfTen(-shift)).toString(), 0);
  // The zeros of a whole number count.
  if (shift === 0) return digits.toString();
  return plain(digits.toString(), shift).replace(/\.?0+$/, "");
}

function scientific(digits: string, exponent: number): string {
  const [, sign = "", first = "", rest = ""] = /^(-?)(\d)(\d*?)0*$/.exec(digits) ?? [];
  return `${sign}${first}${rest && `.${rest}`}e${exponent < 0 ? "" : "+"}${exponent}`;
}

function plain(digits: string, places: number): string {
  if (places === 0) return digits;
  const [, sign = "", size = ""] = /^(-?)(\d+)$/.exec(digits) ?? [];
  const padded = size.padStart(places + 1, "0");
  return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}
